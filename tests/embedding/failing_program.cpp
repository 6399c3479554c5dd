// Loaded before a program (LD_PRELOAD): the calls about files of that program fail as PYKC_FILE_FAULT says, "FAULT N".
// A program that ends without having made so many leaves an empty file behind, whose name is PYKC_FILE_FAULT_UNMET.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/embedding/failing_files.h"

namespace {

[[gnu::constructor]] void start() {
  char* rest = nullptr;
  const long fault = std::strtol(std::getenv("PYKC_FILE_FAULT"), &rest, 10);
  if (!pykc::testing::watch_file_calls()) _exit(77);
  pykc::testing::fail_file_call(static_cast<pykc::testing::FileFault>(fault), std::atol(rest), false);
}

[[gnu::destructor]] void end() {
  if (pykc::testing::failed_file_call() >= 0) return;
  pykc::testing::fail_file_call(pykc::testing::FileFault::Broken, 0, false);
  close(open(std::getenv("PYKC_FILE_FAULT_UNMET"), O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
}

}  // namespace
