// The works by systems of Python: a child that is told by lines what to do (peers.py), with the inputs in files.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>

#include "bench/cpu/works.h"

namespace pykc::bench {
namespace {

using Path = std::filesystem::path;

/// The inputs as files, in a folder that goes with it.
class Folder {
 public:
  explicit Folder(const Inputs& inputs) {
    std::string name = (std::filesystem::temp_directory_path() / "pykc-bench-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::perror("mkdtemp");
    path_ = name;
    const auto write = [this](const char* file, const auto& list) {
      const auto bytes = std::as_bytes(std::span(list));
      std::ofstream(path_ / (std::string(file) + ".bin"), std::ios::binary)
          .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    };
    for (const auto& [file, list] : {std::pair("a", &inputs.a),
                                     {"b", &inputs.b},
                                     {"numbers", &inputs.numbers},
                                     {"others", &inputs.others},
                                     {"price", &inputs.price},
                                     {"strike", &inputs.strike},
                                     {"years", &inputs.years}})
      write(file, *list);
    write("bytes", inputs.bytes);
    write("columns", inputs.columns);
    write("starts", inputs.starts);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const Path& path() const { return path_; }

 private:
  Path path_;
};

class Child {
 public:
  Child(const Inputs& inputs, const std::string& python, const std::string& peer, int threads) : folder_(inputs) {
    std::array<int, 2> commands, answers;
    if (pipe2(commands.data(), O_CLOEXEC) != 0 || pipe2(answers.data(), O_CLOEXEC) != 0) std::perror("pipe2");
    signal(SIGPIPE, SIG_IGN);  // a child that cannot start ends at once
    process_ = fork();
    if (process_ == 0) {
      dup2(commands[0], STDIN_FILENO);
      dup2(answers[1], STDOUT_FILENO);
      execlp(python.c_str(), python.c_str(), PYKC_BENCH_FOLDER "/peers.py", peer.c_str(), folder_.path().c_str(),
             std::to_string(threads).c_str(), nullptr);
      _exit(127);
    }
    close(commands[0]);
    close(answers[1]);
    commands_ = fdopen(commands[1], "w");
    answers_ = fdopen(answers[0], "r");
  }
  ~Child() {
    std::fclose(commands_);  // its last line
    std::fclose(answers_);
    waitpid(process_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Empty where it has ended.
  std::string answer() const {
    std::array<char, 256> line = {};
    if (std::fgets(line.data(), line.size(), answers_) == nullptr) return "";
    const std::string text = line.data();
    return text.substr(0, text.find('\n'));
  }
  std::string ask(const char* command, std::size_t work) const {
    std::fprintf(commands_, "%s %zu\n", command, work);
    std::fflush(commands_);
    std::string text = answer();
    if (!text.empty()) return text;
    std::fprintf(stderr, "peers.py has ended before work %zu\n", work);
    std::exit(1);
  }
  std::vector<double> result(std::size_t work) const {
    ask("result", work);
    const Path file = folder_.path() / "result";
    std::vector<double> values(std::filesystem::file_size(file) / sizeof(double));
    std::ifstream(file, std::ios::binary)
        .read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(double)));
    return values;
  }

 private:
  const Folder folder_;
  pid_t process_ = 0;
  std::FILE* commands_ = nullptr;
  std::FILE* answers_ = nullptr;
};

}  // namespace

std::optional<System> make_python(const std::string& python, const std::string& peer, const Inputs& inputs,
                                  int threads) {
  const auto child = std::make_shared<Child>(inputs, python, peer, threads);
  System system{.name = peer, .description = child->answer()};
  if (system.description.empty()) return std::nullopt;
  for (std::size_t work = 0; work < std::size(kWorks); ++work)
    system.runners.push_back({.run = {},
                              .result = [child, work] { return child->result(work); },
                              .time = [child, work] { return std::stod(child->ask("run", work)); }});
  return system;
}

}  // namespace pykc::bench
