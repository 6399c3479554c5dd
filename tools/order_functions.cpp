// Build step: writes down which functions a program runs, in the order in which it first enters them.
//
//   order_functions OUTPUT.txt PROGRAM ARGUMENT… [-- ARGUMENT…]…
//
// Each group of arguments is a run. A linker that puts these functions side by side makes a program start faster: what
// a run of pykc needs of LLVM is a small part of its code, and scattered over the whole it is read in pages that hold
// little of use. The program must lie where it was linked (-no-pie) and have its symbols.
//
// Every function of the stopped program gets a breakpoint at its entry, which is taken out when it is hit. So a
// function costs one stop however often it is called, and a run takes a fraction of a second. Where ptrace is not
// allowed, the list is empty, and the linker's own order stays.
#include <fcntl.h>
#include <llvm/Object/ELFObjectFile.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

namespace {

using Address = std::uint64_t;
using Functions = std::map<Address, std::string>;

constexpr char kBreakpoint = static_cast<char>(0xcc);

[[noreturn]] void fail(const llvm::Twine& message) {
  llvm::errs() << "order_functions: " << message << "\n";
  std::exit(1);
}

template <typename T>
T checked(llvm::Expected<T> value) {
  if (!value) fail(llvm::toString(value.takeError()));
  return std::move(*value);
}

Functions functions_of(const std::string& program) {
  const auto file = checked(llvm::object::ObjectFile::createObjectFile(program));
  const auto* elf = llvm::dyn_cast<llvm::object::ELF64LEObjectFile>(file.getBinary());
  if (elf == nullptr || elf->getELFFile().getHeader().e_type != llvm::ELF::ET_EXEC)
    fail("'" + program + "' is not linked with -no-pie");
  Functions functions;
  for (const llvm::object::ELFSymbolRef symbol : elf->symbols())
    if (symbol.getELFType() == llvm::ELF::STT_FUNC && symbol.getSize() > 0)
      functions.try_emplace(checked(symbol.getAddress()), checked(symbol.getName()));
  return functions;
}

/// The memory of a stopped process.
class Memory {
 public:
  explicit Memory(pid_t process) : file_(open(("/proc/" + std::to_string(process) + "/mem").c_str(), O_RDWR)) {
    if (file_ < 0) fail("the memory of the process cannot be opened");
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { close(file_); }

  std::string read(Address begin, Address end) const {
    std::string bytes(end - begin, '\0');
    if (pread(file_, bytes.data(), bytes.size(), static_cast<off_t>(begin)) != static_cast<ssize_t>(bytes.size()))
      fail("the memory of the process cannot be read");
    return bytes;
  }
  void write(Address begin, const std::string& bytes) const {
    if (pwrite(file_, bytes.data(), bytes.size(), static_cast<off_t>(begin)) != static_cast<ssize_t>(bytes.size()))
      fail("the memory of the process cannot be written");
  }

 private:
  int file_;
};

/// The code of a run, with breakpoints.
class Run {
 public:
  Run(pid_t process, const Functions& functions)
      : memory_(process),
        functions_(functions),
        begin_(functions.begin()->first),
        code_(memory_.read(begin_, functions.rbegin()->first + 1)) {
    std::string code = code_;
    for (const auto& [address, name] : functions) code[address - begin_] = kBreakpoint;
    memory_.write(begin_, code);
  }

  /// The function whose breakpoint this thread, which got SIGTRAP, has met; from there it goes on as if there were
  /// none. Null where there is none.
  const std::string* resume_at_entry(pid_t thread) const {
    user_regs_struct registers{};
    if (ptrace(PTRACE_GETREGS, thread, nullptr, &registers) != 0) return nullptr;
    const auto found = functions_.find(registers.rip - 1);
    if (found == functions_.end()) return nullptr;
    registers.rip -= 1;
    memory_.write(found->first, code_.substr(found->first - begin_, 1));
    ptrace(PTRACE_SETREGS, thread, nullptr, &registers);
    return &found->second;
  }

 private:
  Memory memory_;
  const Functions& functions_;
  Address begin_;
  std::string code_;
};

/// Starts the program, stopped before its first instruction; none where it cannot be traced.
std::optional<pid_t> start(std::vector<char*> command) {
  command.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDOUT_FILENO);
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
    execv(command.front(), command.data());
    _exit(1);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return std::nullopt;
  ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE);
  return child;
}

/// The functions that a run enters, in the order of their first calls; none where it cannot be traced.
std::optional<std::vector<std::string>> entered(const std::vector<char*>& command, const Functions& functions) {
  const std::optional<pid_t> child = start(command);
  if (!child) return std::nullopt;
  const Run run(*child, functions);
  std::vector<std::string> names;
  ptrace(PTRACE_CONT, *child, nullptr, nullptr);
  for (int status = 0;;) {
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread == *child && WIFEXITED(status)) {
      if (WEXITSTATUS(status) != 0) fail("the program ended with " + llvm::Twine(WEXITSTATUS(status)));
      return names;
    }
    if (thread < 0 || (thread == *child && WIFSIGNALED(status))) fail("the program ended by a signal");
    if (!WIFSTOPPED(status)) continue;
    int signal = WSTOPSIG(status);
    if (signal == SIGTRAP || signal == SIGSTOP) {  // SIGSTOP: a new thread
      if (const std::string* name = run.resume_at_entry(thread); signal == SIGTRAP && name) names.push_back(*name);
      signal = 0;
    }
    ptrace(PTRACE_CONT, thread, nullptr, signal);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) fail("order_functions OUTPUT.txt PROGRAM ARGUMENT… [-- ARGUMENT…]…");
  const Functions functions = functions_of(argv[2]);
  if (functions.empty()) fail(llvm::Twine("'") + argv[2] + "' has no symbols");

  std::error_code error;
  llvm::raw_fd_ostream output(argv[1], error);
  if (error) fail(llvm::Twine("'") + argv[1] + "': " + error.message());
  std::unordered_set<std::string> written;
  for (int i = 3; i < argc;) {
    std::vector<char*> command = {argv[2]};
    for (; i < argc && llvm::StringRef(argv[i]) != "--"; ++i) command.push_back(argv[i]);
    ++i;
    const std::optional<std::vector<std::string>> names = entered(command, functions);
    if (!names) {
      llvm::errs() << "order_functions: '" << argv[2]
                   << "' cannot be traced: its functions stay in the linker's order\n";
      return 0;
    }
    for (const std::string& name : *names)
      if (written.insert(name).second) output << name << "\n";
  }
  return 0;
}
