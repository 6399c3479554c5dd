// Writes random .pyk kernels that are well-typed and right: every index is in range, nothing races, threads meet only
// where all that live come, and no result depends on the order of threads. So whoever runs one gets the same bytes.
//
// A kernel mixes arithmetic on every type and between them, control flow that is the same for all threads (provably, or
// not to be seen) or not, loops left and repeated, local and shared arrays, barriers, warp operations, atomics on
// integers, device functions, tuples. Above it stands the `# run:` line of tests/differential/case.h.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "pykc/types.h"

namespace pykc::random_test {

struct Expression {
  std::string text;
  ScalarType type;
};

class ProgramWriter {
 public:
  explicit ProgramWriter(std::uint64_t seed) : random_(seed) {}
  std::string write();

 private:
  using Types = std::vector<ScalarType>;
  struct Variable {
    std::string name;
    ScalarType type;
    bool uniform = false;  // the same in all threads
  };
  struct DeviceFunction {
    std::string name;
    Types parameters;
    ScalarType result;
    ScalarType array;  // the first argument is an array of 16 elements
  };
  struct Region {  // a loop around the current place
    bool uniform;  // all threads run it alike, so none may leave it alone
  };

  // ---- the program (program.cpp) ----
  void write_module();
  void write_device_function();
  void write_kernel();
  void begin_kernel();
  void end_kernel();

  // ---- statements (statements.cpp) ----
  void block(int statements);
  void statement();
  void assign();
  void assign_tuple();
  void use_local_array();
  void record();
  void branch();
  void loop();
  void begin_for(bool uniform);
  void begin_while(bool uniform);
  void begin_for_elements(bool uniform);
  void leave_loop();
  void return_early();
  void exchange_through_shared_memory();
  void vote_in_block();
  void exchange_in_warp();
  void vote_in_warp();
  void change_atomically();
  /// A line that opens a block, and its body. `uniform`: all threads that are here run the body, or none.
  void nested(const std::string& header, bool uniform);

  // ---- expressions (expressions.cpp) ----
  Expression any(int depth) { return expression(pick(all_), depth); }
  /// An expression of exactly this type.
  Expression expression(ScalarType type, int depth);
  Expression leaf(ScalarType type);
  Expression literal(ScalarType type);
  Expression element(ScalarType type, int depth);
  /// A view of an input of this type, of 4, 8 or 16 elements.
  std::string view(ScalarType type, int size);
  /// An operation of any kind that is as it comes: its type is what the language says.
  Expression operation(int depth);
  Expression arithmetic(int depth);
  Expression bitwise(int depth);
  Expression shift(int depth);
  Expression power(int depth);
  Expression unary(int depth);
  Expression function_of_float(int depth);
  Expression function_of_integer(int depth);
  Expression extreme(int depth);
  Expression choice(int depth);
  Expression call(int depth);
  std::string condition(int depth);
  std::string uniform_condition();
  std::string uniform_integer();
  /// An index into `size` elements, a power of two: from the front, or from the end.
  std::string index(int size, int depth);
  /// Makes two operands of different types have one in common.
  void reconcile(Expression& a, const Expression& b);

  // ---- helpers ----
  void line(const std::string& text);
  int number(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  bool chance(int percent) { return number(100) < percent; }
  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(number(static_cast<int>(from.size())))];
  }
  std::string fresh(const char* prefix) { return prefix + std::to_string(++names_); }

  const Types all_ = {ScalarType::Bool, ScalarType::I8,  ScalarType::I16, ScalarType::I32, ScalarType::I64,
                      ScalarType::U8,   ScalarType::U16, ScalarType::U32, ScalarType::U64, ScalarType::F16,
                      ScalarType::BF16, ScalarType::F32, ScalarType::F64};
  const Types integers_ = {ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64,
                           ScalarType::U8, ScalarType::U16, ScalarType::U32, ScalarType::U64};
  const Types floats_ = {ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64};
  const Types wide_integers_ = {ScalarType::I32, ScalarType::I64, ScalarType::U32, ScalarType::U64};
  const Types movable_ = {ScalarType::I32, ScalarType::I64, ScalarType::U32,
                          ScalarType::U64, ScalarType::F32, ScalarType::F64};

  std::mt19937_64 random_;
  std::string text_;
  int indentation_ = 0, names_ = 0, budget_ = 0, rows_ = 0;
  bool in_kernel_ = false;
  bool uniform_ = true;       // all living threads of the block run the current place
  bool has_returns_ = false;  // some threads may return before others; else warps stay whole
  std::vector<Variable> variables_;
  std::vector<Region> loops_;
  std::vector<DeviceFunction> functions_;
  std::vector<ScalarType> shared_, local_;
};

}  // namespace pykc::random_test
