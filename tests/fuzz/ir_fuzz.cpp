// Any text is read as IR or refused; what verifies prints to a text that reads back to the same, and folds to IR that
// verifies.
#include <cstdlib>

#include "ir/passes/passes.h"
#include "ir/text/parser.h"
#include "ir/verify/verifier.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pykc;
  std::vector<std::string> errors;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::unique_ptr<ir::Module> module = ir::parse_module(text, errors);
  if (!module) {
    if (errors.empty()) std::abort();
    return 0;
  }
  if (!ir::verify(*module).empty()) return 0;
  const std::string printed = ir::print_module(*module);
  const std::unique_ptr<ir::Module> again = ir::parse_module(printed, errors);
  if (!again || ir::print_module(*again) != printed) std::abort();
  for (const auto& function : again->functions) {
    ir::promote_locals(*function);
    ir::fold_constants(*function);
  }
  if (!ir::verify(*again).empty()) std::abort();
  return 0;
}
