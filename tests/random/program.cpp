#include "tests/random/program.h"

namespace pykc::random_test {
namespace {

/// Grid and block as the `# run:` line spells them, and how many threads they are.
struct Shape {
  const char* text;
  int blocks, threads;
};
constexpr Shape kShapes[] = {{"grid=1 block=32", 1, 32},         {"grid=2 block=64", 2, 64},
                             {"grid=3 block=96", 3, 96},         {"grid=(1, 2) block=(8, 4)", 2, 32},
                             {"grid=2 block=(16, 2, 2)", 2, 64}, {"grid=(2, 1, 1) block=(3, 32)", 2, 96}};
/// Shapes with a last warp that is not full: only for kernels without warp operations.
constexpr Shape kRaggedShapes[] = {
    {"grid=2 block=1", 2, 1}, {"grid=2 block=40", 2, 40}, {"grid=1 block=(7, 3, 2)", 1, 42}};

constexpr int kMostRows = 24;

}  // namespace

std::string ProgramWriter::write() {
  has_returns_ = chance(50);
  write_module();
  return std::move(text_);
}

void ProgramWriter::line(const std::string& text) {
  text_ += std::string(static_cast<std::size_t>(4 * indentation_), ' ') + text + "\n";
}

void ProgramWriter::write_module() {
  line("import math");
  line("from pykc import *");
  for (int i = number(3); i-- > 0;) write_device_function();
  write_kernel();
}

/// `def f(p: T, …) -> R`: a few statements, perhaps an early return.
void ProgramWriter::write_device_function() {
  DeviceFunction function{fresh("d"), {}, pick(all_), pick(all_)};
  std::string header = "def " + function.name + "(x: " + std::string(to_string(function.array)) + "[::]";
  variables_.clear();
  for (int i = 1 + number(3); i-- > 0;) {
    const Variable parameter{fresh("p"), pick(all_)};
    header += ", " + parameter.name + ": " + std::string(to_string(parameter.type));
    function.parameters.push_back(parameter.type);
    variables_.push_back(parameter);
  }
  line("");
  line("");
  line("@device");
  line(header + ") -> " + std::string(to_string(function.result)) + ":");
  ++indentation_;
  uniform_ = false;
  budget_ = number(6);
  block(number(4));
  variables_.push_back({"x[" + index(16, 1) + "]", function.array});
  if (chance(40)) line("if " + condition(1) + ": return " + expression(function.result, 1).text);
  line("return " + expression(function.result, 2).text);
  --indentation_;
  functions_.push_back(std::move(function));
}

void ProgramWriter::write_kernel() {
  const bool ragged = has_returns_ && chance(40);
  const Shape shape = ragged ? kRaggedShapes[number(std::size(kRaggedShapes))] : kShapes[number(std::size(kShapes))];
  const std::string threads = std::to_string(shape.blocks * shape.threads);
  std::string run = std::string("# run: ") + shape.text + " | zeros i64[" + std::to_string(kMostRows) + ", " + threads +
                    "] | zeros f64[" + std::to_string(kMostRows) + ", " + threads + "]";
  std::string parameters = "out_i: i64[:, :], out_f: f64[:, :]";
  for (const ScalarType type : wide_integers_) {
    const std::string name(to_string(type));
    run += " | zeros " + name + "[6, 4]";
    parameters += ", total_" + name + ": " + name + "[:, :]";
  }
  for (const ScalarType type : all_) {
    const std::string name(to_string(type));
    run += " | random " + name + "[64]";
    parameters += ", in_" + name + ": " + name + (chance(20) ? "[::]" : "[:]");
  }
  line("");
  line("");
  line(run + " | " + std::to_string(number(9)));
  line(chance(15) ? "@kernel(contract=False)" : "@kernel");
  line("def k(" + parameters + ", n: i64):");
  ++indentation_;
  begin_kernel();
  block(6 + number(14));
  end_kernel();
  --indentation_;
}

/// Gives a value to everything that the body may read.
void ProgramWriter::begin_kernel() {
  in_kernel_ = uniform_ = true;
  budget_ = 12 + number(30);
  variables_.clear();
  line("tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)");
  line("threads = blockDim.x * blockDim.y * blockDim.z");
  line("gid = tid + threads * (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z))");
  variables_ = {{"tid", ScalarType::I64}, {"gid", ScalarType::I64}};
  for (int i = 3 + number(5); i-- > 0;) {
    const ScalarType type = pick(all_);
    const std::string name = fresh("v");
    line(name + ": " + std::string(to_string(type)) + " = in_" + std::string(to_string(type)) + "[gid % 64]");
    variables_.push_back({name, type});
  }
  for (int i = 1 + number(2); i-- > 0;) {
    const std::string name = fresh("a");
    line(name + ": i64 = " + uniform_integer());
    variables_.push_back({name, ScalarType::I64, true});
  }
  for (int i = number(3); i-- > 0;) {
    const ScalarType type = pick(all_);
    const std::string name = "mine" + std::to_string(local_.size());
    line(name + " = local.array(4, " + std::string(to_string(type)) + ")");
    line("for k in range(4): " + name + "[k] = " + expression(type, 1).text);
    local_.push_back(type);  // from here on it may be read
  }
  for (int i = number(3); i-- > 0;) {
    const ScalarType type = pick(all_);
    const std::string name = "tile" + std::to_string(shared_.size());
    line(name + " = shared.array(" + (chance(50) ? "128" : "blockDim.x * blockDim.y * blockDim.z") + ", " +
         std::string(to_string(type)) + ")");
    line(name + "[tid] = " + expression(type, 1).text);
    shared_.push_back(type);
  }
  line("sums = shared.array(8, i64)");
  line("for k in range(tid, 8, threads): sums[k] = 0");
  line("syncthreads()");
}

/// Everything that a thread holds goes to its own column of the outputs.
void ProgramWriter::end_kernel() {
  line("syncthreads()");
  line("out_i[0, gid] = sums[tid % 8]");
  for (const Variable& variable : variables_) {
    if (rows_ >= kMostRows - 1) break;
    const std::string out = is_float(variable.type) ? "out_f[" : "out_i[";
    line(out + std::to_string(++rows_) + ", gid] += " + (is_float(variable.type) ? "f64(" : "i64(") + variable.name +
         ")");
  }
  for (std::size_t i = 0; i < local_.size() && rows_ < kMostRows - 1; ++i)
    line("out_f[" + std::to_string(++rows_) + ", gid] += f64(mine" + std::to_string(i) + "[tid & 3])");
}

}  // namespace pykc::random_test
