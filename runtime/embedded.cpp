// Choosing among the artifacts that a program carries.
#include "pykc/embedded.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <tuple>

#include "base/errors.h"
#include "base/text.h"
#include "runtime/cpu/processor.h"

namespace pykc {
namespace {

/// How well an artifact fits a device: none where it cannot run there; else the higher the better.
using Fitness = std::optional<std::tuple<int, bool, bool>>;

struct Chip {
  int number = 0;
  char suffix = 0;  // 'a': this chip alone; 'f': its family
};
/// {90, 'a'} for "sm_90a".
Chip parse_chip(std::string_view name) {
  Chip chip;
  if (!name.starts_with("sm_")) return chip;
  const char* end = name.data() + name.size();
  const auto [stop, status] = std::from_chars(name.data() + 3, end, chip.number);
  if (status == std::errc{} && stop != end) chip.suffix = *stop;
  return chip;
}

Fitness fitness_on_gpu(const Artifact& artifact, const DeviceInfo& device) {
  constexpr std::string_view kElf = "\177ELF";
  const std::string_view target = artifact.target;
  if (!target.starts_with("nvptx:")) return std::nullopt;
  const Chip chip = parse_chip(target.substr(target.find(':') + 1)), own = parse_chip(device.target);
  const bool is_cubin = artifact.code.starts_with(kElf);
  if (chip.number > own.number || (chip.suffix == 'a' && chip.number != own.number)) return std::nullopt;
  if ((is_cubin || chip.suffix == 'f') && chip.number / 10 != own.number / 10) return std::nullopt;
  return std::tuple{chip.number, chip.suffix != 0, is_cubin};
}

Fitness fitness_on_cpu(const Artifact& artifact) {
  const std::string_view target = artifact.target;
  if (!target.starts_with("cpu:") || !cpu::can_run(target.substr(4))) return std::nullopt;
  return std::tuple{cpu::instruction_level(target.substr(4)), false, false};
}

Error none_fits(const std::vector<Artifact>& artifacts, const Device& device) {
  const std::string targets = list_text(artifacts, &Artifact::target);
  return Error{ErrorCode::Unsupported, "the program's kernels are compiled for " + targets + ", none of which " +
                                           device.info().name + " (" + device.info().description + ") can run"};
}

}  // namespace

std::string parameter_text(const KernelInfo& kernel) {
  return list_text(kernel.parameters, [](const ParameterInfo& parameter) {
    return parameter.name + ": " + (parameter.is_array ? to_string(parameter.array) : to_string(parameter.value));
  });
}

Result<Module> load_embedded(const Device& device, const EmbeddedArtifact* embedded) try {
  std::vector<Artifact> artifacts;
  for (; embedded->size > 0; ++embedded) {
    ASSIGN_OR_RETURN(Artifact artifact,
                     Artifact::parse({reinterpret_cast<const char*>(embedded->bytes), embedded->size}));
    artifacts.push_back(std::move(artifact));
  }
  struct Candidate {
    const Artifact* artifact;
    Fitness fitness;
  };
  std::vector<Candidate> candidates;
  for (const Artifact& artifact : artifacts)
    if (Fitness fitness = device.is_cpu() ? fitness_on_cpu(artifact) : fitness_on_gpu(artifact, device.info()))
      candidates.push_back({&artifact, fitness});
  std::ranges::stable_sort(candidates, std::ranges::greater{}, &Candidate::fitness);
  if (candidates.empty()) return none_fits(artifacts, device);

  Result<Module> best = device.load(*candidates.front().artifact);
  for (std::size_t i = 1; i < candidates.size() && !best && best.error().code == ErrorCode::DriverError; ++i)
    if (Result<Module> next = device.load(*candidates[i].artifact)) return next;
  return best;
} catch (...) {
  return error_in_flight();
}

Result<Kernel> embedded_kernel(const Module& module, std::string_view name, std::string_view parameters) try {
  Result<Kernel> kernel = module.kernel(name);
  if (!kernel || parameter_text(kernel->info()) == parameters) return kernel;
  return invalid_argument("kernel `" + std::string(name) + "` takes (" + parameter_text(kernel->info()) +
                          ") where the header has (" + std::string(parameters) +
                          "): make both anew from the same source");
} catch (...) {
  return error_in_flight();
}

}  // namespace pykc
