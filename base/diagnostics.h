// Diagnostics as data. The catalogue is diagnostics.def; a component reports with
//
//   diagnostics.report(file, range, DiagnosticId::UnknownName, "blockdim").fix("blockDim").label(file, range2, "…");
//
// and the text is made in one place, here. The arguments fill the holes of the row's message (base/message.h).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/source.h"
#include "pykc/diagnostic.h"
#include "pykc/limits.h"

namespace pykc {

struct DiagnosticInfo {
  std::string_view code;  // "E0203"
  Severity severity;
  std::string_view message;      // with a hole for each argument
  std::string_view explanation;  // for `pykc explain`: why, a wrong and a right example
};
const DiagnosticInfo& info(DiagnosticId id);
/// All rows, in the table's order.
const std::vector<DiagnosticInfo>& all_diagnostics();

/// Errors whose codes begin so are found while kernels run; a line may be silenced for them, as for warnings.
inline constexpr std::string_view kSanitizerCodes = "E06";

class Diagnostics {
 public:
  /// Refines the diagnostic just reported. Valid until the next report.
  class Builder {
   public:
    Builder() = default;  // of what is not reported
    Builder& label(const SourceFile& file, SourceRange range, std::string text);
    Builder& note(std::string text);
    Builder& fix(std::string text);
    /// A note and a fix, where there is a name that may be meant ("": there is none).
    Builder& did_you_mean(std::string_view name);

   private:
    friend class Diagnostics;
    explicit Builder(Diagnostic* diagnostic) : diagnostic_(diagnostic) {}
    Diagnostic* diagnostic_ = nullptr;  // null when diagnostics are muted
  };

  template <typename... Arguments>
  Builder report(const SourceFile& file, SourceRange range, DiagnosticFor<Arguments...> id,
                 const Arguments&... arguments) {
    const std::array<MessageArgument, sizeof...(Arguments)> list = {message_argument(arguments)...};
    return report_kept(file, range, id, list);
  }
  /// For a report whose arguments were checked where they were put down.
  Builder report_kept(const SourceFile& file, SourceRange range, DiagnosticId id,
                      std::span<const MessageArgument> arguments);

  /// While muted, reports are counted but not kept (the checker's trial passes).
  void set_muted(bool muted) { muted_ = muted; }
  /// A warning with this code ("": any) on this line (0: any) of this file ("": any) is not reported from now on.
  void silence(std::string_view file, int line, std::string_view code);
  /// Whether this code was named as one that is not to be reported there.
  bool is_silenced_by_name(std::string_view code, const SourcePlace& place) const;
  /// From now on a warning is an error.
  void set_warnings_are_errors() { warnings_are_errors_ = true; }
  bool has_errors() const { return error_count_ > 0; }
  /// Whether a further error is counted, but not kept: nobody need work out what to say of it.
  bool is_full() const;
  int error_count() const { return error_count_; }
  const std::vector<Diagnostic>& list() const { return list_; }
  /// One that was reported elsewhere, however many there are.
  void add(Diagnostic diagnostic);
  /// Of errors and of warnings no more than this are kept: without a bound, a large file of noise would take gigabytes.
  void set_most_kept(int most) { most_kept_ = most; }
  /// Hands the list over, errors and warnings in the order of the source, none twice.
  std::vector<Diagnostic> take();

 private:
  struct Silence {
    std::string file;
    int line;
    std::string code;
    bool is_at(const SourcePlace& place) const {
      return (file.empty() || file == place.file) && (line == 0 || line == place.line);
    }
  };
  bool is_silenced(const DiagnosticInfo& row, const SourcePlace& place) const;

  std::vector<Silence> silences_;
  std::vector<Diagnostic> list_;
  int error_count_ = 0;
  int kept_errors_ = 0, kept_others_ = 0, dropped_ = 0;
  int most_kept_ = CompileLimits().diagnostics;
  bool muted_ = false;
  bool warnings_are_errors_ = false;
};

/// The candidate nearest to `word` by edit distance, or "" when none is near enough to be meant.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace pykc
