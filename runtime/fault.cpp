#include "runtime/fault.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <string>
#include <string_view>

namespace pykc::detail {
namespace {

std::string to_text(const std::int32_t index[3]) {
  return "(" + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " + std::to_string(index[2]) + ")";
}

/// As Python writes it.
template <typename Float>
std::string to_text(Float value) {
  char digits[32];
  std::string text(digits, std::to_chars(digits, digits + sizeof(digits), value).ptr);
  return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

/// FORM is what FaultSite::message says of the value: a bool, an f32, an f64, a u64, or else an integer.
std::string to_text(std::int64_t value, char form) {
  if (form == 'b') return value != 0 ? "True" : "False";
  if (form == 'f') return to_text(static_cast<float>(std::bit_cast<double>(value)));
  if (form == 'd') return to_text(std::bit_cast<double>(value));
  if (form == 'u') return std::to_string(static_cast<std::uint64_t>(value));
  return std::to_string(value);
}

/// Puts the device's values where the message says {0} to {8}, and one brace where it has two.
std::string fill_in(std::string_view message, const std::int64_t values[abi::kFaultValues]) {
  std::string text;
  while (!message.empty()) {
    if (message.starts_with("{{")) {
      text += '{';
      message.remove_prefix(2);
      continue;
    }
    const std::size_t end = message.find('}');
    const bool is_place = message.front() == '{' && (end == 2 || (end == 3 && std::strchr("bfdu", message[2]))) &&
                          message[1] >= '0' && message[1] < '0' + abi::kFaultValues;
    text += is_place ? to_text(values[message[1] - '0'], message[2]) : std::string(1, message.front());
    message.remove_prefix(is_place ? end + 1 : 1);
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
