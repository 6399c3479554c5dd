#include "script/evaluate/evaluator.h"

#include "script/evaluate/call.h"

namespace pykc::script {

Evaluator::Evaluator(const Program& program, Run& run)
    : program(program), run(run), launcher(program, run, scopes), stack_base(__builtin_frame_address(0)) {
  run.set_call(
      [this](const Value& callee, CallArguments arguments) { return call(*this, callee, std::move(arguments)); });
  run.set_compile([this](const FunctionValue& kernel, const std::vector<Value>* arguments) {
    return launcher.compile(kernel, arguments);
  });
}

Evaluator::~Evaluator() {
  for (const std::weak_ptr<Environment>& each : kept)
    if (const std::shared_ptr<Environment> environment = each.lock()) environment->clear();
  for (const std::weak_ptr<Instance>& made : instances)
    if (const std::shared_ptr<Instance> instance = made.lock()) instance->clear();
}

Failure Evaluator::located(Failure failure, SourceRange range) const {
  if (!failure.file) {
    failure.file = &file();
    failure.range = range;
  }
  return failure;
}

bool Evaluator::is_too_deep() const {
  constexpr std::ptrdiff_t kMostBytes = 4 << 20;  // of the 8 MiB that a thread has
  const auto* here = static_cast<const char*>(__builtin_frame_address(0));
  const std::ptrdiff_t used = static_cast<const char*>(stack_base) - here;
  return used > kMostBytes;
}

}  // namespace pykc::script
