// A filter of the system's sends SIGSYS in place of each call about files, but for those of one instruction of this
// file: by that the handler makes the call after all, or else says what it came to.
#include "tests/embedding/failing_files.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <iterator>

extern "C" {
long pykc_system_call(long number, long a, long b, long c, long d, long e, long f);
extern const char pykc_behind_the_system_call[];
}
asm(R"(
.text
.globl pykc_system_call
.type pykc_system_call, @function
pykc_system_call:
    mov %rdi, %rax
    mov %rsi, %rdi
    mov %rdx, %rsi
    mov %rcx, %rdx
    mov %r8, %r10
    mov %r9, %r8
    mov 8(%rsp), %r9
    syscall
.globl pykc_behind_the_system_call
pykc_behind_the_system_call:
    ret
.size pykc_system_call, . - pykc_system_call
)");

namespace pykc::testing {
namespace {

enum Kind : unsigned { kOther = 0, kOpens = 1, kReads = 2, kWrites = 4, kMakes = 8, kCloses = 16 };

struct Call {
  int number;
  unsigned kind;
};
constexpr Call kCalls[] = {
    {SYS_open, kOpens},       {SYS_openat, kOpens},       {SYS_openat2, kOpens},    {SYS_creat, kOpens | kMakes},
    {SYS_read, kReads},       {SYS_pread64, kReads},      {SYS_readv, kOther},      {SYS_preadv, kOther},
    {SYS_write, kWrites},     {SYS_pwrite64, kWrites},    {SYS_writev, kMakes},     {SYS_pwritev, kMakes},
    {SYS_close, kCloses},     {SYS_stat, kOther},         {SYS_fstat, kOther},      {SYS_lstat, kOther},
    {SYS_newfstatat, kOther}, {SYS_statx, kOther},        {SYS_statfs, kOther},     {SYS_fstatfs, kOther},
    {SYS_access, kOther},     {SYS_faccessat, kOther},    {SYS_faccessat2, kOther}, {SYS_readlink, kOther},
    {SYS_readlinkat, kOther}, {SYS_getcwd, kOther},       {SYS_chdir, kOther},      {SYS_getdents64, kOther},
    {SYS_mkdir, kMakes},      {SYS_mkdirat, kMakes},      {SYS_rmdir, kOther},      {SYS_rename, kMakes},
    {SYS_renameat, kMakes},   {SYS_renameat2, kMakes},    {SYS_unlink, kOther},     {SYS_unlinkat, kOther},
    {SYS_link, kMakes},       {SYS_linkat, kMakes},       {SYS_symlink, kMakes},    {SYS_symlinkat, kMakes},
    {SYS_chmod, kOther},      {SYS_fchmod, kOther},       {SYS_fchmodat, kOther},   {SYS_chown, kOther},
    {SYS_utimensat, kOther},  {SYS_lseek, kOther},        {SYS_truncate, kOther},   {SYS_ftruncate, kOther},
    {SYS_fallocate, kMakes},  {SYS_fsync, kOther},        {SYS_fdatasync, kOther},  {SYS_fcntl, kOther},
    {SYS_flock, kOther},      {SYS_dup, kOpens},          {SYS_dup2, kOther},       {SYS_dup3, kOther},
    {SYS_mmap, kOther},       {SYS_memfd_create, kOpens}, {SYS_sendfile, kMakes},   {SYS_copy_file_range, kMakes},
};

std::atomic<long> until_failure = 0, failed_call = -1;
std::atomic<FileFault> fault = FileFault::Broken;
std::atomic<bool> fails_for_good = false;

/// Whether the fault can be of this call.
bool concerns(const Call& call, const greg_t* registers) {
  if (call.number == SYS_mmap && (registers[REG_R10] & MAP_ANONYMOUS) != 0) return false;
  const bool makes = (call.kind & kOpens) != 0 && call.number != SYS_dup &&
                     ((call.number == SYS_open ? registers[REG_RSI] : registers[REG_RDX]) & O_CREAT) != 0;
  switch (fault) {
    case FileFault::Broken:
      return true;
    case FileFault::Full:
      return makes || (call.kind & (kWrites | kMakes | kCloses)) != 0;
    case FileFault::NoDescriptors:
      return (call.kind & kOpens) != 0;
    case FileFault::Interrupted:
      // A folder is no such thing, and stdout belongs to programs that have handlers.
      if (call.number == SYS_openat && (registers[REG_RDX] & O_DIRECTORY) != 0) return false;
      if (call.kind == kWrites && registers[REG_RDI] <= 2) return false;
      return (call.kind & (kOpens | kReads | kWrites | kCloses)) != 0;
    case FileFault::Short:
      return (call.kind & (kReads | kWrites)) != 0 && registers[REG_RDX] > 1;
  }
  return false;
}

bool fails(const Call& call, const greg_t* registers) {
  if (until_failure == 0 || !concerns(call, registers)) return false;
  if (failed_call >= 0) return fails_for_good;
  if (--until_failure > 0) return false;
  until_failure = 1;
  failed_call = call.number;
  return true;
}

long error_of(FileFault kind) {
  switch (kind) {
    case FileFault::Full:
      return ENOSPC;
    case FileFault::NoDescriptors:
      return EMFILE;
    case FileFault::Interrupted:
      return EINTR;
    default:
      return EIO;
  }
}

void on_call(int, siginfo_t* info, void* context) {
  greg_t* const registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const long number = info->si_syscall;
  const auto make = [&](long count) {
    return pykc_system_call(number, registers[REG_RDI], registers[REG_RSI], count, registers[REG_R10],
                            registers[REG_R8], registers[REG_R9]);
  };
  const Call* call = std::begin(kCalls);
  while (call->number != number) ++call;
  const long count = registers[REG_RDX];
  if (!fails(*call, registers)) {
    registers[REG_RAX] = make(count);
  } else if (fault == FileFault::Short) {
    registers[REG_RAX] = make(count / 2);
  } else {
    if ((call->kind & kCloses) != 0) make(count);  // Linux closes a file whatever becomes of what was written to it
    registers[REG_RAX] = -error_of(fault);
  }
}

}  // namespace

bool watch_file_calls() {
  struct sigaction action {};
  action.sa_sigaction = on_call;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  if (sigaction(SIGSYS, &action, nullptr) != 0) return false;

  constexpr auto kCount = static_cast<unsigned>(std::size(kCalls));
  const auto address = reinterpret_cast<std::uintptr_t>(pykc_behind_the_system_call);
  const auto load = [](std::size_t offset) {
    return sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, static_cast<unsigned>(offset)};
  };
  const auto compare = [](std::uint64_t with, unsigned if_equal, unsigned otherwise) {
    return sock_filter{BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned char>(if_equal),
                       static_cast<unsigned char>(otherwise), static_cast<unsigned>(with)};
  };
  const auto give = [](unsigned answer) { return sock_filter{BPF_RET | BPF_K, 0, 0, answer}; };
  constexpr std::size_t kPlace = offsetof(seccomp_data, instruction_pointer);
  sock_filter filter[kCount + 8];
  unsigned length = 0;
  filter[length++] = load(offsetof(seccomp_data, nr));
  for (unsigned i = 0; i < kCount; ++i)
    filter[length++] = compare(static_cast<unsigned>(kCalls[i].number), kCount - i, 0);
  filter[length++] = give(SECCOMP_RET_ALLOW);
  filter[length++] = load(kPlace);
  filter[length++] = compare(address & 0xffffffff, 0, 3);
  filter[length++] = load(kPlace + 4);
  filter[length++] = compare(address >> 32, 0, 1);
  filter[length++] = give(SECCOMP_RET_ALLOW);
  filter[length++] = give(SECCOMP_RET_TRAP);
  const sock_fprog program{static_cast<unsigned short>(length), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

void fail_file_call(FileFault kind, long n, bool for_good) {
  fault = kind;
  fails_for_good = for_good;
  failed_call = -1;
  until_failure = n;
}

long failed_file_call() { return failed_call; }

}  // namespace pykc::testing
