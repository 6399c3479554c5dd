// Operations on arrays of the device, as kernels that run where the elements are: nothing is copied, nobody waits.
//
// What an operation computes is an expression in the language of kernels (arithmetic/device_expressions.h); jit's
// Elementwise and Reduction make the kernels, one for each expression and list of types, and find them again.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pykc/elementwise.h"
#include "pykc/reduction.h"
#include "pykc/runtime.h"
#include "script/values/array.h"
#include "script/values/outcome.h"

namespace pykc::script {

/// What launches and events use that name no stream (`with stream:`), and what graphs keep.
struct StreamState {
  std::shared_ptr<const Stream> current = nullptr;      // null: the default stream
  std::vector<std::shared_ptr<Storage>> captured = {};  // of the arrays of launches on streams that capture
  /// The current stream while it captures a graph; else null.
  const Stream* capturing() const { return current && current->is_capturing() ? current.get() : nullptr; }
};

class DeviceOperations {
 public:
  DeviceOperations(Device device, StreamState& streams);
  DeviceOperations(const DeviceOperations&) = delete;
  DeviceOperations& operator=(const DeviceOperations&) = delete;

  const Device& device() const { return device_; }
  /// Whether a kernel is worth while for so many elements that the host could compute as well.
  bool pays(std::int64_t elements) const { return elements >= least_; }
  void set_least(std::int64_t elements) { least_ = elements; }

  const Stream* captures() const { return streams_.capturing(); }
  void keep_captured(std::shared_ptr<Storage> storage) { streams_.captured.push_back(std::move(storage)); }

  /// Sets all elements of `result` to the expression of those of `inputs`, which are named x, y and z, have been
  /// converted to `types`, and are repeated to the result's shape.
  Status map(const Array& result, std::string_view expression, const std::vector<ScalarType>& types,
             const std::vector<ArrayRef>& inputs);
  /// The reduction along `axes`, which are some, of inputs that broadcast.
  Status reduce(const Array& result, const ReductionSource& source, const std::vector<int>& axes,
                const std::vector<ArrayRef>& inputs);

 private:
  Outcome<Argument> input(const ArrayRef& array);
  Outcome<std::vector<Argument>> arguments(const Array& result, const std::vector<ArrayRef>& inputs);

  Device device_;
  StreamState& streams_;
  std::int64_t least_;
  std::map<std::string, Elementwise> elementwise_;  // by all of their text
  std::map<std::string, pykc::Reduction> reductions_;
};

/// The device that an operation on these arrays runs on: that of which one of them is, or which alone has one. Null:
/// the host computes. An operation whose results the host has in other bits (`is_exact` is false) runs there for arrays
/// of the device only, and then always. While a graph is captured, what is done with an array that is on the device is
/// part of it.
DeviceOperations* device_for(std::initializer_list<const Array*> operands, std::int64_t elements, bool is_exact = true);
/// What is made of arrays of the device is one, too.
void share_home(const Array& result, std::initializer_list<const Array*> operands);
/// Does so for values, which may be no arrays, or hold some. A result that was among them stays what it was.
void share_home(const Value& result, const std::vector<Value>& operands);
/// Whether one of the values is an array of the same memory.
bool shares_memory(const Array& array, const std::vector<Value>& values);

}  // namespace pykc::script
