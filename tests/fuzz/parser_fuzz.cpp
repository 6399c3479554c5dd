// Any bytes become a tree that can be printed and freed, and diagnostics that can be shown.
#include "frontend/frontend.h"
#include "frontend/syntax/token.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file =
      std::make_shared<pykc::SourceFile>("fuzz.pyk", std::string(reinterpret_cast<const char*>(data), size));
  pykc::Diagnostics diagnostics;
  const std::unique_ptr<pykc::ast::Module> module = pykc::parse(file, pykc::lex(*file, diagnostics), diagnostics);
  pykc::ast::print(*module);
  const std::vector<pykc::Diagnostic> list = diagnostics.take();
  for (const pykc::Diagnostic& diagnostic : list) pykc::to_text(diagnostic);
  pykc::to_json(list);
  return 0;
}
