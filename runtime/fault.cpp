#include "runtime/fault.h"

#include <string>

namespace pykc::detail {
namespace {

std::string to_text(const std::int32_t index[3]) {
  return "(" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " + std::to_string(index[2]) + ")";
}

/// Puts the device's values where the message says {0} to {8}.
std::string fill_in(const std::string& message, const std::int64_t values[abi::kFaultValues]) {
  std::string text;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const bool is_place = i + 2 < message.size() && message[i] == '{' && message[i + 1] >= '0' &&
                          message[i + 1] < '0' + abi::kFaultValues && message[i + 2] == '}';
    if (is_place) {
      text += std::to_string(values[message[i + 1] - '0']);
      i += 2;
    } else {
      text += message[i];
    }
  }
  return text;
}

}  // namespace

Error fault_error(const abi::FaultRecord& record, const std::vector<KernelInfo>& kernels) {
  const auto kernel = static_cast<std::size_t>(record.kernel);
  if (kernel >= kernels.size() || static_cast<std::size_t>(record.site) >= kernels[kernel].faults.size())
    return Error{ErrorCode::KernelFault, "a kernel stopped at a place that the artifact does not describe"};
  const FaultSite& site = kernels[kernel].faults[static_cast<std::size_t>(record.site)];
  return Error{ErrorCode::KernelFault, site.file + ":" + std::to_string(site.line) + ": " +
                                           fill_in(site.message, record.values) + ", in kernel " +
                                           kernels[kernel].name + ", block " + to_text(record.block) + ", thread " +
                                           to_text(record.thread)};
}

void FaultLog::add(const StreamState* stream, Error error) {
  const std::lock_guard lock(mutex_);
  for (const auto& [known, first] : faults_)
    if (known == stream) return;
  faults_.emplace_back(stream, std::move(error));
}

Result<void> FaultLog::take(const StreamState* stream) {
  const std::lock_guard lock(mutex_);
  for (auto fault = faults_.begin(); fault != faults_.end(); ++fault) {
    if (stream != nullptr && fault->first != nullptr && fault->first != stream) continue;
    Error error = std::move(fault->second);
    faults_.erase(fault);
    return error;
  }
  return {};
}

}  // namespace pykc::detail
