// Functions of small arrays, applied along the outer axes of large ones, as NumPy's generalised ufuncs and Numba's
// guvectorize.
//
//   const auto matmul = pykc::GeneralizedUfunc::create(device, "(m,n),(n,p)->(m,p)", R"pyk(
//     def matmul(a, b, c):
//         for i in range(c.shape[0]):
//             for j in range(c.shape[1]):
//                 total = 0.0
//                 for k in range(a.shape[1]):
//                     total += a[i, k] * b[k, j]
//                 c[i, j] = total
//   )pyk"_pyk).value();
//   pykc::Array<float> c = matmul.map<float>(a, b).value();  // a (100, 3, 4), b (4, 5) gives c (100, 3, 5)
//
// The signature names the last axes of each argument, the inputs' and then the outputs'; axes of one name have one
// extent. The axes before these broadcast. The function is a device function, whose arguments are the inputs and then
// the outputs, without their outer axes; each thread calls it for one place of the outer axes. `()` stands for one
// element: an input is that number; an output is an array of one element, which the function sets, `out[0] = …`.
//
// Threads: all calls may be made from many threads at once. Order: as of any launch; nothing waits.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "pykc/compiler.h"
#include "pykc/runtime.h"
#include "pykc/source.h"

namespace [[gnu::visibility("default")]] pykc {

namespace detail {
struct GeneralizedUfuncState;
}  // namespace detail

class GeneralizedUfunc {
 public:
  /// The last function of the source is the one that is applied. Errors of syntax and of the signature are found here.
  static Result<GeneralizedUfunc> create(const Device& device, std::string_view signature, const Source& source,
                                         const CompileOptions& options = {});

  /// Outputs, then inputs, as an assignment has them. Arguments have at most 8 axes.
  template <typename... Arguments>
  Result<void> launch(const Arguments&... arguments) const {
    return launch_with(nullptr, detail::list_of(arguments...));
  }
  template <typename... Arguments>
  Result<void> launch_on(const Stream& stream, const Arguments&... arguments) const {
    return launch_with(&stream, detail::list_of(arguments...));
  }
  /// A null stream: the default stream of the device.
  Result<void> launch_with(const Stream* stream, std::span<const Argument> arguments) const;

  /// The one output as a new array.
  template <typename T, typename... Inputs>
  Result<Array<T>> map(const Inputs&... inputs) const {
    return detail::new_array<T>(device(), output_shape(detail::list_of(inputs...)),
                                [&](const Array<T>& output) { return launch(output, inputs...); });
  }

  const Device& device() const;
  /// The shape of the first output for these inputs.
  Result<std::vector<std::int64_t>> output_shape(std::span<const Argument> inputs) const;

 private:
  explicit GeneralizedUfunc(std::shared_ptr<detail::GeneralizedUfuncState> state) : state_(std::move(state)) {}
  std::shared_ptr<detail::GeneralizedUfuncState> state_;
};

}  // namespace pykc
