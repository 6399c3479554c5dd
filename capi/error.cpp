// Versions, errors, diagnostics and texts.
#include "capi/handles.h"

namespace pykc::capi {
namespace {

/// The numbers of pykc.h stay, whatever becomes of the enumeration.
std::int32_t code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::InvalidSource:
      return PYKC_INVALID_SOURCE;
    case ErrorCode::InvalidArgument:
      return PYKC_INVALID_ARGUMENT;
    case ErrorCode::InvalidLaunch:
      return PYKC_INVALID_LAUNCH;
    case ErrorCode::NotFound:
      return PYKC_NOT_FOUND;
    case ErrorCode::InputOutput:
      return PYKC_INPUT_OUTPUT;
    case ErrorCode::DriverUnavailable:
      return PYKC_DRIVER_UNAVAILABLE;
    case ErrorCode::DriverError:
      return PYKC_DRIVER_ERROR;
    case ErrorCode::OutOfMemory:
      return PYKC_OUT_OF_MEMORY;
    case ErrorCode::KernelFault:
      return PYKC_KERNEL_FAULT;
    case ErrorCode::Unsupported:
      return PYKC_UNSUPPORTED;
    case ErrorCode::Cancelled:
      return PYKC_CANCELLED;
    case ErrorCode::Timeout:
      return PYKC_TIMEOUT;
    case ErrorCode::Internal:
      break;
  }
  return PYKC_INTERNAL;
}
static_assert(static_cast<int>(Severity::Warning) == PYKC_WARNING && static_cast<int>(Severity::Error) == PYKC_ERROR);

/// No error is at this address: it stands for the one that there was no memory for.
char no_memory;
constexpr const char* kNoMemory = "the host has no memory left";

bool is_out_of_memory(const pykc_error* error) {
  return static_cast<const void*>(error) == static_cast<const void*>(&no_memory);
}

const pykc_diagnostics kNone;

Error no_such(const char* what, std::size_t index, std::size_t count) {
  return invalid_argument("there is no " + std::string(what) + " " + std::to_string(index) + ": there are " +
                          std::to_string(count));
}

}  // namespace

pykc_error* out_of_memory() { return reinterpret_cast<pykc_error*>(&no_memory); }

pykc_error* error_of(Error error) {
  std::string text = error.message;
  for (const Diagnostic& diagnostic : error.diagnostics) text += "\n" + to_text(diagnostic);
  return new pykc_error{error.code, std::move(error.message), std::move(text), {std::move(error.diagnostics)}};
}

}  // namespace pykc::capi

using namespace pykc::capi;
using pykc::Result;

extern "C" {

const char* pykc_version(void) { return PYKC_VERSION_STRING; }
int32_t pykc_version_number(void) { return PYKC_VERSION; }

int32_t pykc_error_code(const pykc_error* error) {
  if (error == nullptr) return PYKC_OK;
  return is_out_of_memory(error) ? PYKC_OUT_OF_MEMORY : code_of(error->code);
}

const char* pykc_error_message(const pykc_error* error) {
  if (error == nullptr) return "";
  return is_out_of_memory(error) ? kNoMemory : error->message.c_str();
}

const char* pykc_error_text(const pykc_error* error) {
  if (error == nullptr) return "";
  return is_out_of_memory(error) ? kNoMemory : error->text.c_str();
}

const pykc_diagnostics* pykc_error_diagnostics(const pykc_error* error) {
  return error == nullptr || is_out_of_memory(error) ? &kNone : &error->diagnostics;
}

void pykc_error_free(pykc_error* error) {
  if (!is_out_of_memory(error)) delete error;
}

size_t pykc_diagnostics_count(const pykc_diagnostics* diagnostics) { return diagnostics->list.size(); }

pykc_error* pykc_diagnostics_get(const pykc_diagnostics* diagnostics, size_t index, pykc_diagnostic* diagnostic) {
  return guarded(
      [&]() -> Result<void> {
        if (index >= diagnostics->list.size()) return no_such("diagnostic", index, diagnostics->list.size());
        const pykc::Diagnostic& from = diagnostics->list[index];
        pykc_diagnostic own{};
        own.code = from.code.c_str();
        own.severity = static_cast<std::int32_t>(from.severity);
        own.message = from.message.c_str();
        own.file = from.place.file.c_str();
        own.line = from.place.line;
        own.column = from.place.column;
        own.end_line = from.place.end_line;
        own.end_column = from.place.end_column;
        own.source_line = from.place.source_line.c_str();
        own.fix = from.fix.c_str();
        own.label_count = from.labels.size();
        own.note_count = from.notes.size();
        return fill(*diagnostic, own);
      },
      diagnostics, diagnostic);
}

pykc_error* pykc_diagnostics_label(const pykc_diagnostics* diagnostics, size_t index, size_t label,
                                   pykc_label* filled) {
  return guarded(
      [&]() -> Result<void> {
        if (index >= diagnostics->list.size()) return no_such("diagnostic", index, diagnostics->list.size());
        const std::vector<pykc::DiagnosticLabel>& labels = diagnostics->list[index].labels;
        if (label >= labels.size()) return no_such("label", label, labels.size());
        const pykc::SourcePlace& place = labels[label].place;
        pykc_label own{};
        own.text = labels[label].text.c_str();
        own.file = place.file.c_str();
        own.line = place.line;
        own.column = place.column;
        own.end_line = place.end_line;
        own.end_column = place.end_column;
        return fill(*filled, own);
      },
      diagnostics, filled);
}

const char* pykc_diagnostics_note(const pykc_diagnostics* diagnostics, size_t index, size_t note) {
  if (index >= diagnostics->list.size() || note >= diagnostics->list[index].notes.size()) return nullptr;
  return diagnostics->list[index].notes[note].c_str();
}

pykc_error* pykc_diagnostics_text(const pykc_diagnostics* diagnostics, size_t index, int32_t color, pykc_text** text) {
  return make(
      text,
      [&]() -> Result<std::string> {
        if (index >= diagnostics->list.size()) return no_such("diagnostic", index, diagnostics->list.size());
        return to_text(diagnostics->list[index], color != 0);
      },
      diagnostics);
}

pykc_error* pykc_diagnostics_json(const pykc_diagnostics* diagnostics, pykc_text** json) {
  return make(
      json, [&]() -> Result<std::string> { return to_json(diagnostics->list); }, diagnostics);
}

const char* pykc_text_data(const pykc_text* text) { return text->value.c_str(); }
size_t pykc_text_size(const pykc_text* text) { return text->value.size(); }
void pykc_text_free(pykc_text* text) { delete text; }

}  // extern "C"
