// Reports that do not fit their message. Each of them must fail to compile, by the error that says so.
#include "base/diagnostics.h"

void report(pykc::Diagnostics& diagnostics, const pykc::SourceFile& file) {
  using pykc::DiagnosticId;
#if defined(TOO_FEW)
  diagnostics.report(file, {}, DiagnosticId::UnknownName);
#elif defined(TOO_MANY)
  diagnostics.report(file, {}, DiagnosticId::UnknownName, "x", "y");
#elif defined(NO_NUMBER)
  diagnostics.report(file, {}, DiagnosticId::TooManyTurns, "1024");
#elif defined(NO_TEXT)
  diagnostics.report(file, {}, DiagnosticId::UnknownName, 1);
#endif
}
