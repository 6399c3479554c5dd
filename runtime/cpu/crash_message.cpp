// The handler may run on any thread, at any moment: it reads lock-free variables and calls write, sigaction and raise.
#include "runtime/cpu/crash_message.h"

#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <iterator>

namespace pykc::cpu {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS};

/// What the handler knows. A handler has no other way to be told.
struct Watched {
  std::atomic<const char*> kernel = nullptr;
  std::atomic<std::uintptr_t> begin = 0, end = 0;  // of its code
  std::atomic<bool> is_told = false;
  std::atomic<pid_t> handing_on = 0;  // the thread that called the handlers before
  struct sigaction before[std::size(kSignals)];
};
Watched watched;

struct sigaction& handler_before(int signal) {
  return watched.before[signal == kSignals[0] ? 0 : 1];
}

void write_text(const char* text) {
  // Nobody can be told that this failed.
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

/// Whether a fault there comes from the end of a stack whose top is here: calls and what a function holds touch no more
/// at a time.
bool is_end_of_stack(std::uintptr_t address, std::uintptr_t top) {
  constexpr std::uintptr_t kReach = 64 << 10;
  return address + kReach >= top && address < top + kReach;
}

void write_message(const char* kernel, const void* address, bool has_no_stack) {
  char digits[2 + 2 * sizeof address + 1] = "0x";
  auto rest = reinterpret_cast<std::uintptr_t>(address);
  for (std::size_t i = sizeof digits - 2; i >= 2; --i, rest >>= 4) digits[i] = "0123456789abcdef"[rest & 15];
  const char* const what = has_no_stack ? "` has no stack left, at " : "` has touched memory that is not its own, at ";
  const char* const advice =
      has_no_stack ? "; 512 KiB are enough for functions that call themselves 256 levels deep\n"
                   : "; a checked build (`--checked`, CompileOptions::checked, Python: `debug=True`) tells the line\n";
  for (const char* part : {"pykc: kernel `", kernel, what, static_cast<const char*>(digits), advice}) write_text(part);
}

void hand_on(int signal, siginfo_t* info, void* context) {
  struct sigaction before = handler_before(signal);
  // A handler that was put on top of ours during a launch stands below it in the next, and may call it.
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  if (watched.handing_on.exchange(self) == self) before.sa_handler = SIG_DFL, before.sa_flags = 0;
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
  // The instruction faults once more, now without a handler; what was sent by somebody comes again.
  sigaction(signal, &before, nullptr);
  if (info->si_code <= 0) raise(signal);
}

void on_fault(int signal, siginfo_t* info, void* context) {
  const greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto at = static_cast<std::uintptr_t>(registers[REG_RIP]);
  if (info->si_code > 0 && at >= watched.begin && at < watched.end) {
    if (const char* const kernel = watched.kernel.exchange(nullptr)) {
      write_message(kernel, info->si_addr,
                    is_end_of_stack(reinterpret_cast<std::uintptr_t>(info->si_addr),
                                    static_cast<std::uintptr_t>(registers[REG_RSP])));
      watched.is_told = true;
    }
    while (!watched.is_told) continue;  // another thread tells it: the process must not end meanwhile
  }
  hand_on(signal, info, context);
}

}  // namespace

CrashMessage::CrashMessage(const std::string& kernel, const ElfObject& code) {
  const auto begin = reinterpret_cast<std::uintptr_t>(code.image().data());
  watched.begin = begin;
  watched.end = begin + code.image().size();
  watched.is_told = false;
  watched.kernel = kernel.c_str();
  for (const int signal : kSignals) {
    sigaction(signal, nullptr, &handler_before(signal));
    struct sigaction own = handler_before(signal);  // its mask
    own.sa_sigaction = on_fault;
    own.sa_flags = SA_SIGINFO | SA_ONSTACK | (own.sa_flags & SA_NODEFER);
    sigaction(signal, &own, nullptr);
  }
}

CrashMessage::~CrashMessage() {
  for (const int signal : kSignals) {
    struct sigaction now;
    sigaction(signal, &handler_before(signal), &now);
    // Somebody has put a handler on top of ours meanwhile, and may call it.
    if (now.sa_sigaction != on_fault) sigaction(signal, &now, nullptr);
  }
  watched.kernel = nullptr;
  watched.end = 0;
}

}  // namespace pykc::cpu
