// One program on all devices, and what the reducer and the search for the stage to blame need of it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/differential/execute.h"

namespace pykc::random_test {

/// How a program is compiled, and how often it runs on a GPU. `sanitize`: on the CPU device it is watched, and all that
/// is found is wrong, of what nobody has written, too. `target`: for GPUs, in the place of
/// their own; empty: their own. `ptxas`: the program that assembles for GPUs in the place of the driver, if any.
/// `attempts`: so often at most until a difference shows, for some depend on who of the threads comes first. `steps`: a
/// program for which the interpreter takes more counts as endless, and runs on no device.
struct Settings {
  int optimization = 3;
  bool checked = false;
  bool sanitize = false;
  std::string target;
  std::string ptxas;
  int attempts = 1;
  std::int64_t steps = differential::Interpretation{}.step_limit;
};

/// What the levels of optimisation do is different code; most users take the last.
Settings settings_of(std::uint64_t seed);

/// The chip for which GPU code is made where there is no GPU: the one asked for, or a common one.
std::string gpu_target(const Settings& settings);

CompileOptions compile_options(const Settings& settings, const std::string& target);
CompileOptions compile_options(const Settings& settings, const Device& device);

/// A program that compiles as far as IR, with its launch. `error` says why there is none.
struct Prepared {
  std::unique_ptr<ir::Module> module;
  differential::Case launch;
  std::string error;
};
Prepared prepare(const std::string& source, const Settings& settings);

/// What the program must give: by the interpreter; where it calls approximations of the math library, which have the
/// same bits on all devices but are not the interpreter's, by unoptimised code of the CPU device.
differential::Execution expected_of(const Prepared& program, const std::string& source, const Settings& settings);

/// How what `run` gives on the device differs from what is expected; empty where it does not, however often it ran.
std::string difference_in_time(const differential::Execution& expected, const Device& device,
                               const differential::Case& launch, int attempts,
                               const std::function<differential::Execution()>& run);

/// What is wrong with a program; empty when nothing is. Where there is no GPU it must at least compile for one.
std::string differences(const std::string& source, const Settings& settings, const std::vector<Device>& devices);

/// Whether `wrong` says that a program takes longer than the interpreter waits, so that nothing is known of it.
bool is_endless(const std::string& wrong);

/// Why nothing may be expected of a program: it reads outside of its arrays or what nobody wrote, threads race, or the
/// result depends on their order. Empty where it is right.
std::string flaw_of(const std::string& source, const Settings& settings);

/// Whether a program still differs, and is right. The reducer asks this, for what it leaves may be wrong itself.
bool is_right_and_differs(const std::string& source, const Settings& settings, const std::vector<Device>& devices);

}  // namespace pykc::random_test
