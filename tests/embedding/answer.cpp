#include "tests/embedding/answer.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pykc/compiler.h"

namespace pykc {
namespace {

std::string told_of(const std::string& source, const char* target) {
  CompileOptions options;
  options.target = target;
  options.untrusted = true;
  const Result<Artifact> artifact = compile(source, options);
  if (artifact) return "compiled";
  std::string told = artifact.error().message;
  for (const Diagnostic& diagnostic : artifact.error().diagnostics) {
    if (to_text(diagnostic).empty()) return "a diagnostic without a text";
    if (diagnostic.severity == Severity::Error) told = diagnostic.code;
  }
  return told;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

Answer answer(const std::string& source, const char* target) {
  int channel[2];
  if (::pipe(channel) != 0) return {.told = "no pipe"};
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    const std::string told = told_of(source, target);
    if (::write(channel[1], told.data(), told.size()) < 0) ::_exit(1);
    ::_exit(0);
  }
  ::close(channel[1]);
  Answer answer;
  char text[200];
  if (const auto length = ::read(channel[0], text, sizeof(text)); length > 0)
    answer.told.assign(text, static_cast<std::size_t>(length));
  ::close(channel[0]);
  int status = 0;
  rusage used{};
  ::wait4(child, &status, 0, &used);
  if (!WIFEXITED(status)) answer.told = "ended by signal " + std::to_string(WTERMSIG(status));
  answer.seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  answer.megabytes = static_cast<double>(used.ru_maxrss) / 1024;
  return answer;
}

}  // namespace pykc
