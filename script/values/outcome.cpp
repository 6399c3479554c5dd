#include "script/values/outcome.h"

#include <algorithm>
#include <iterator>

namespace pykc::script {

std::vector<Diagnostic> to_diagnostics(const Failure& failure, const SourceFile& otherwise) {
  Diagnostics diagnostics;
  const SourceFile& file = failure.file ? *failure.file : otherwise;
  const std::vector<MessageArgument> arguments(failure.arguments.begin(), failure.arguments.end());
  auto builder = diagnostics.report_kept(file, failure.range, failure.id, arguments);
  for (const std::string& note : failure.notes) builder.note(note);
  if (!failure.fix.empty()) builder.fix(failure.fix);
  for (const Failure::Caller& caller : failure.callers) builder.label(*caller.file, caller.range, "called from here");
  std::vector<Diagnostic> list = failure.causes;
  Diagnostic own = std::move(diagnostics.take().front());
  const bool is_told = failure.id == DiagnosticId::HostKernelNotCompiled && !list.empty();
  if (!is_told) {
    list.push_back(std::move(own));
    return list;
  }
  // What is wrong stands in the kernel; the launch only tells for which arguments, where they matter.
  if (failure.arguments[1].empty()) return list;
  std::vector<DiagnosticLabel>& labels = list.back().labels;
  labels.push_back({own.place, "compiled for " + failure.arguments[1] + " by this launch"});
  std::ranges::move(own.labels, std::back_inserter(labels));
  return list;
}

Failure device_failure(const Error& error) { return fail(DiagnosticId::HostDeviceFailed, error.message); }

}  // namespace pykc::script
