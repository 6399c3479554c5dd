// Any bytes are checked; what has no error lowers to IR that verifies, before and after the passes and the split at
// barriers.
#include <cstdlib>

#include "frontend/checked/tree.h"
#include "frontend/frontend.h"
#include "ir/passes/passes.h"
#include "ir/verify/verifier.h"
#include "stdlib/library.h"

namespace {

std::shared_ptr<const pykc::SourceFile> from_library(std::string_view name) {
  const std::string_view text = pykc::library_source(name);
  if (text.empty()) return nullptr;
  return std::make_shared<const pykc::SourceFile>(std::string(name), std::string(text));
}

void expect_valid(const pykc::ir::Module& module) {
  const std::vector<std::string> broken = pykc::ir::verify(module);
  if (broken.empty()) return;
  std::fprintf(stderr, "%s\n", broken.front().c_str());
  std::abort();
}

void compile(const pykc::checked::Module& checked, pykc::Diagnostics& diagnostics) {
  const std::unique_ptr<pykc::ir::Module> module = pykc::lower(checked);
  expect_valid(*module);
  for (const auto& function : module->functions) {
    pykc::ir::promote_locals(*function);
    pykc::ir::fold_constants(*function);
    pykc::ir::contract_multiply_add(*function);
  }
  pykc::ir::check_uniformity(*module, diagnostics);
  if (diagnostics.has_errors()) return;
  expect_valid(*module);
  pykc::ir::inline_calls(*module);
  for (std::size_t i = 0; i < module->functions.size(); ++i)
    if (module->functions[i]->is_kernel) pykc::ir::split_at_barriers(*module->functions[i], *module);
  expect_valid(*module);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file =
      std::make_shared<pykc::SourceFile>("fuzz.pyk", std::string(reinterpret_cast<const char*>(data), size));
  pykc::Diagnostics diagnostics;
  const pykc::Program program = pykc::load_program(file, from_library, diagnostics);
  const bool parses = !diagnostics.has_errors();
  const pykc::checked::Module checked = pykc::check(program, {}, {.bounds_checks = size % 2 == 0}, diagnostics);
  if (parses && !diagnostics.has_errors()) compile(checked, diagnostics);
  for (const pykc::Diagnostic& diagnostic : diagnostics.take()) pykc::to_text(diagnostic);
  return 0;
}
