// Loads a plugin, lets it compile and launch, and unloads it, a hundred times: no thread is left, the library is gone,
// and the process does not grow.
// usage: plugin_host PLUGIN.so LIBRARY, where LIBRARY is what must be gone: libpykc.so.0.1, or the plugin itself
#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

namespace {

std::ptrdiff_t threads() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return std::distance(begin(tasks), end(tasks));
}

/// A thread that was joined may be listed for a moment.
bool is_alone() {
  for (int wait = 0; wait < 1000 && threads() > 1; ++wait) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return threads() == 1;
}

long resident_kilobytes() {
  long all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

int fail(int round, const char* what) {
  std::fprintf(stderr, "round %d: %s\n", round, what);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  constexpr int kRounds = 100, kFirst = 10;
  long before = 0;
  for (int round = 0; round < kRounds; ++round) {
    void* const plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (plugin == nullptr) return fail(round, dlerror());
    const auto run = reinterpret_cast<int (*)()>(dlsym(plugin, "run_plugin"));
    if (run == nullptr || run() != 0) return fail(round, "the plugin fails");
    if (threads() > 1 && !is_alone()) return fail(round, "a thread is left behind by the device");
    dlclose(plugin);
    if (dlopen(argv[2], RTLD_NOW | RTLD_NOLOAD) != nullptr) return fail(round, "the library is still loaded");
    if (round == kFirst) before = resident_kilobytes();
  }
  const long grown = (resident_kilobytes() - before) / (kRounds - 1 - kFirst);
  std::printf("%d times loaded and unloaded; %ld KB more each time\n", kRounds, grown);
  return grown <= 256 ? 0 : fail(kRounds, "the process grows");
}
