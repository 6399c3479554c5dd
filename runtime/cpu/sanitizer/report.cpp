#include "runtime/cpu/sanitizer/report.h"

#include <algorithm>
#include <string>

#include "base/message.h"

namespace pykc::cpu {
namespace {

using SiteKind = ObservedSite::Kind;

std::string index_text(std::int64_t x, std::int64_t y, std::int64_t z) {
  return "(" + std::to_string(x) + ", " + std::to_string(y) + ", " + std::to_string(z) + ")";
}
std::string index_text(std::int64_t number, const std::int64_t (&extents)[3]) {
  const std::int64_t row = number / extents[0];
  return index_text(number % extents[0], row % extents[1], row / extents[1]);
}

template <DiagnosticId kId, typename... Arguments>
Diagnostic make(const SourcePlace& place, const Arguments&... arguments) {
  constexpr auto kRow = static_cast<std::size_t>(kId);
  static_assert(takes(kDiagnosticMessages[kRow], {kArgumentKind<Arguments>...}));
  const std::array<MessageArgument, sizeof...(Arguments)> list = {message_argument(arguments)...};
  return {.code = std::string(kDiagnosticCodes[kRow]),
          .severity = Severity::Error,
          .message = fill_message(kDiagnosticMessages[kRow], list),
          .place = place,
          .labels = {},
          .notes = {},
          .fix = {}};
}

class Reporter {
 public:
  Reporter(const KernelInfo& kernel, const abi::CpuLaunch& launch, const Objects& objects)
      : kernel_(kernel), launch_(launch), objects_(objects) {}

  Diagnostic describe(const Sanitizer::Found& found) {
    Diagnostic diagnostic = describe(found.finding, found.reach);
    if (found.times > 1)
      diagnostic.notes.push_back("it is the first of " + std::to_string(found.times) + " such cases in this launch");
    return diagnostic;
  }

 private:
  const ObservedSite& site(std::uint32_t number) const { return kernel_.watched.sites[number]; }

  Diagnostic describe(const Finding& finding, Reach reach) {
    switch (finding.kind) {
      case Finding::Kind::Race:
      case Finding::Kind::SameValue:
        return describe_race(finding, reach);
      case Finding::Kind::Uninitialised:
        return describe_uninitialised(finding);
      case Finding::Kind::MissingLane: {
        Diagnostic diagnostic =
            make<DiagnosticId::MissingLane>(site(finding.site).place, full_name(finding.thread), name(finding.other));
        diagnostic.fix =
            "pass the mask of the lanes that come here (`ballot_sync` in front of the branch gives it), or let all "
            "come";
        return diagnostic;
      }
      case Finding::Kind::Freed: {
        Diagnostic diagnostic = make<DiagnosticId::UseAfterFree>(
            site(finding.site).place, element(finding), full_name(finding.thread) + " " + verb(site(finding.site)));
        diagnostic.fix =
            "keep the array until the work is done that uses it: a graph keeps what `keep_in_graph` is given";
        return diagnostic;
      }
      case Finding::Kind::Misaligned: {
        const ObservedSite& at = site(finding.site);
        Diagnostic diagnostic = make<DiagnosticId::MisalignedAccess>(
            at.place, element(finding), full_name(finding.thread) + " " + verb(at), std::int64_t{at.bytes});
        diagnostic.notes.emplace_back("a GPU stops the program there; the CPU device does not");
        diagnostic.fix =
            "begin the view at a multiple of its element's size, or put bytes together by shifts: "
            "`u32(x[i]) | u32(x[i + 1]) << 8`";
        return diagnostic;
      }
      case Finding::Kind::DifferentMasks:
        break;
    }
    Diagnostic diagnostic =
        make<DiagnosticId::DifferentMasks>(site(finding.site).place, full_name(finding.thread), name(finding.other));
    diagnostic.fix = "pass one mask in all lanes that it names, such as `0xffffffff`";
    return diagnostic;
  }

  Diagnostic describe_uninitialised(const Finding& finding) {
    const ObservedSite& at = site(finding.site);
    const std::string_view nobody = at.is_shared  ? "nothing in the block"
                                    : at.is_local ? "nothing in the thread"
                                                  : "nothing";
    Diagnostic diagnostic = make<DiagnosticId::UninitialisedRead>(site(finding.site).place, element(finding),
                                                                  full_name(finding.thread), std::string(nobody));
    if (at.is_shared) {
      diagnostic.notes.emplace_back("shared memory holds whatever was there before the block began");
      diagnostic.fix = "let each thread write its element before `syncthreads()`, also where there is nothing to load";
    } else if (at.is_local) {
      diagnostic.notes.emplace_back("a local array holds anything when its function begins");
      diagnostic.fix = "write each element that is read, in a loop of its own or with `array[:] = 0`";
    } else {
      diagnostic.notes.emplace_back("the array was made without values, and no copy and no kernel has written here");
      diagnostic.fix = "make it by `zeros`, or write each element that is read";
    }
    return diagnostic;
  }

  Diagnostic describe_race(const Finding& finding, Reach reach) {
    const ObservedSite &now = site(finding.site), &before = site(finding.other_site);
    const bool is_one_block = finding.thread.block == finding.other.block;
    const auto who = [&](ThreadId thread) { return is_one_block ? name(thread) : full_name(thread); };
    Diagnostic diagnostic =
        make<DiagnosticId::Race>(site(finding.site).place, element(finding), who(finding.thread) + " " + verb(now),
                                 who(finding.other), verb(before));
    diagnostic.labels.push_back({before.place, "here " + full_name(finding.other) + " " + verb(before) + " it"});
    if (finding.kind == Finding::Kind::SameValue) {
      diagnostic.severity = Severity::Note;
      diagnostic.notes.emplace_back("both write the same value");
    }
    add_advice(finding, reach, now, before, diagnostic);
    return diagnostic;
  }

  static void add_advice(const Finding& finding, Reach reach, const ObservedSite& now, const ObservedSite& before,
                         Diagnostic& diagnostic) {
    const bool is_one_block = reach != Reach::Grid, is_one_warp = reach == Reach::Warp;
    const bool is_update = finding.site != finding.other_site && now.place.line == before.place.line;
    if (now.is_atomic() && before.is_atomic()) {
      diagnostic.notes.emplace_back("an atomic operation with the scope of a block is one for its threads alone");
      diagnostic.fix = "leave out `scope`, or take that of the device";
    } else if (now.is_atomic() != before.is_atomic()) {
      diagnostic.notes.emplace_back("only one of the two is atomic");
      diagnostic.fix = is_one_block ? "make both atomic, or put `syncthreads()` between them"
                                    : "make both atomic; data behind a flag needs `threadfence()` before the flag is "
                                      "set and after it is seen";
    } else if (is_update) {
      diagnostic.notes.emplace_back(
          "the threads read an element, change the value and write it back: what others "
          "write in the meantime is lost");
      diagnostic.fix = "use an atomic operation, such as `atomic.add(array, index, value)`";
    } else if (is_one_warp) {
      diagnostic.notes.emplace_back("the two are lanes of one warp, which need not run in step");
      diagnostic.fix = "put `syncwarp()` or `syncthreads()` between these lines";
    } else if (is_one_block) {
      diagnostic.notes.emplace_back("no barrier stands between the two for these threads");
      diagnostic.fix = "put `syncthreads()` between these lines, where all threads of the block come";
    } else {
      diagnostic.notes.emplace_back("blocks run in any order, and at the same time");
      diagnostic.fix =
          "give each block elements of its own, use an atomic operation such as `atomic.add`, or do the second "
          "part in a launch of its own";
    }
  }

  static std::string verb(const ObservedSite& at) {
    switch (at.kind) {
      case SiteKind::AtomicLoad:
        return "atomically reads";
      case SiteKind::AtomicStore:
        return "atomically writes";
      case SiteKind::AtomicUpdate:
      case SiteKind::AtomicSwap:
        return "atomically updates";
      case SiteKind::Store:
        return "writes";
      default:
        return "reads";
    }
  }

  std::string name(ThreadId thread) const { return "thread " + index_text(thread.thread, launch_.block); }
  std::string full_name(ThreadId thread) const {
    return name(thread) + " of block " + index_text(thread.block, launch_.grid);
  }

  /// "part[3]".
  std::string element(const Finding& finding) const {
    if (finding.local >= 0) {
      const SharedArrayInfo& array = kernel_.watched.local_arrays[static_cast<std::size_t>(finding.local)];
      return Object{.name = array.name, .type = array.type, .extents = array.type.extents}.element(finding.address);
    }
    if (const Object* object = objects_.find(finding.address)) return object->element(finding.address);
    return site(finding.site).is_shared ? "an element of shared memory" : "an element of global memory";
  }

  const KernelInfo& kernel_;
  const abi::CpuLaunch& launch_;
  const Objects& objects_;
};

std::string verb(const StreamWork::Part& part) {
  const std::string what = part.reads && part.writes ? "updates" : part.writes ? "writes" : "reads";
  return (part.is_atomic ? "atomically " : "") + what;
}

Diagnostic describe(const StreamRace& race) {
  const StreamWork::Part &before = race.before->parts[race.before_part], &now = race.now->parts[race.now_part];
  const bool is_launch = !now.place.file.empty();
  const Object* const object = (is_launch ? race.now : race.before)->arrays.find(race.address);
  Diagnostic diagnostic = make<DiagnosticId::StreamRace>(
      is_launch ? now.place : before.place,
      object != nullptr ? object->element(race.address) : std::string("an element of global memory"),
      race.now->name + " " + verb(now), race.before->name + " " + verb(before));
  if (is_launch && !before.place.file.empty())
    diagnostic.labels.push_back({before.place, "here " + race.before->name + " " + verb(before) + " it"});
  diagnostic.notes.emplace_back("on a GPU the two streams work at the same time");
  diagnostic.fix =
      "let the stream of the second wait for an event behind the first (`wait_event`), let the host wait, or put both "
      "on "
      "one stream";
  return diagnostic;
}

}  // namespace

Error error_of(std::vector<Diagnostic> diagnostics, const std::string& where) {
  const auto first = std::ranges::find(diagnostics, Severity::Error, &Diagnostic::severity);
  const auto more = std::ranges::count(diagnostics, Severity::Error, &Diagnostic::severity) - 1;
  std::string message = first->place.file + ":" + std::to_string(first->place.line) + ": " + first->message + where;
  if (more > 0) message += " (and " + std::to_string(more) + " more that the sanitizer has found)";
  return {ErrorCode::KernelFault, std::move(message), std::move(diagnostics)};
}

std::vector<Diagnostic> describe(const std::vector<StreamRace>& races) {
  std::vector<Diagnostic> diagnostics;
  for (const StreamRace& race : races) {
    const auto has_place = [](const StreamWork& work, std::size_t part) {
      return !work.parts[part].place.file.empty();
    };
    if (has_place(*race.before, race.before_part) || has_place(*race.now, race.now_part))
      diagnostics.push_back(describe(race));
  }
  return diagnostics;
}

std::vector<Diagnostic> describe(const Sanitizer& sanitizer, const KernelInfo& kernel, const abi::CpuLaunch& launch) {
  std::vector<Diagnostic> diagnostics;
  Reporter reporter(kernel, launch, sanitizer.objects());
  for (const Sanitizer::Found& found : sanitizer.found()) diagnostics.push_back(reporter.describe(found));
  return diagnostics;
}

}  // namespace pykc::cpu
