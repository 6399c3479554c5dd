// A server that compiles and launches before it forks eight children, which all launch the same kernel and compile
// another; then it launches again, and one child forks children of its own.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "tests/hosts/kernel.h"

namespace {

int report(const std::string& wrong) {
  if (!wrong.empty()) std::fprintf(stderr, "process %d: %s\n", static_cast<int>(getpid()), wrong.c_str());
  return wrong.empty() ? 0 : 1;
}

int serve(const pykc::Device& device, const pykc::Kernel& kernel) {
  for (int request = 0; request < 20; ++request)
    if (const int failed = report(hosts::launch_and_check(device, kernel)); failed != 0) return failed;
  return report(hosts::compile_launch_and_check());
}

/// Each has a minute.
int fork_children(int children, const pykc::Device& device, const pykc::Kernel& kernel, int grandchildren) {
  for (int child = 0; child < children; ++child)
    if (fork() == 0) {
      alarm(60);
      const int failed = serve(device, kernel);
      _exit(failed != 0 || child > 0 ? failed : fork_children(grandchildren, device, kernel, 0));
    }
  int failed = serve(device, kernel);
  for (int status = 0; wait(&status) > 0;) failed += status == 0 ? 0 : 1;
  return failed;
}

}  // namespace

int main() {
  const pykc::Device device = pykc::Device::open("cpu").value();
  const pykc::Kernel kernel = hosts::compile_kernel(device).value();
  const int failed = serve(device, kernel) + fork_children(8, device, kernel, 2);
  std::printf("%d processes failed\n", failed);
  return failed == 0 ? 0 : 1;
}
