// main and its arguments, and tests.
#include <gtest/gtest.h>

#include "host.h"

namespace pykc::script {
namespace {

TEST(Main, GetsTheCommandLineByItsAnnotations) {
  const std::string_view source =
      "def main(n: int, x: float = 0.5, name: str = 'a', flag: bool = False):\n    print(n + 1, x * 2, name, flag)\n";
  EXPECT_EQ(run_host(source, {"4"}).output, "5 1.0 a False\n");
  EXPECT_EQ(run_host(source, {"4", "1", "b", "true"}).output, "5 2.0 b True\n");
  EXPECT_EQ(run_host(source, {"4", "name=c"}).output, "5 1.0 c False\n");
}

TEST(Main, WithoutAnnotationsDefaultsTell) {
  EXPECT_EQ(run_host("def main(n=3, x=0.5, s=None):\n    print(n, x, s)\n", {"4", "2", "t"}).output, "4 2.0 t\n");
}

TEST(Main, ArgumentsThatDoNotFitAreErrors) {
  const auto code_of = [](std::vector<std::string> arguments) {
    return run_host("def main(n: int, flag: bool = False):\n    pass\n", std::move(arguments)).error().code;
  };
  EXPECT_EQ(code_of({"ten"}), "E0461");
  EXPECT_EQ(code_of({"1", "maybe"}), "E0461");
  EXPECT_EQ(code_of({}), "E0406");
  EXPECT_EQ(code_of({"1", "true", "3"}), "E0407");
}

TEST(Main, ReturnsTheExitCode) {
  EXPECT_EQ(run_host("def main():\n    return 3\n").code, 3);
  EXPECT_EQ(run_host("def main():\n    pass\n").code, 0);
}

TEST(Main, RunsAfterTheFilesStatementsAndOnce) {
  EXPECT_EQ(run_host("print('a')\ndef main():\n    print('b')\n").output, "a\nb\n");
  EXPECT_EQ(run_host("def main():\n    print('b')\nif __name__ == '__main__':\n    main()\n").output, "b\n");
}

TEST(Main, AFileWithNothingToRunIsAnError) {
  EXPECT_EQ(run_host("@kernel\ndef k(x: f32[:]):\n    x[0] = 1.0\n").error().code, "E0460");
}

constexpr std::string_view kTests = R"(
@test
def passes():
    assert 1 == 1

@test
def fails():
    assert 1 == 2, "one is not two"

@test
def skips():
    skip("needs a GPU")

@test
def takes(n):
    pass
)";

std::vector<TestResult> run_all(std::string_view source, std::string_view filter = {}) {
  const Program program = parse_program(source);
  RunOptions options;
  options.device = "cpu";
  const Result<std::vector<TestResult>> results = run_tests(program, options, filter);
  EXPECT_TRUE(results);
  return results ? *results : std::vector<TestResult>{};
}

TEST(Tests, AreListedInTheOrderOfTheFile) {
  EXPECT_EQ(list_tests(parse_program(kTests)), (std::vector<std::string>{"passes", "fails", "skips", "takes"}));
}

TEST(Tests, PassFailAndAreSkipped) {
  const std::vector<TestResult> results = run_all(kTests);
  ASSERT_EQ(results.size(), 4u);
  EXPECT_EQ(results[0].outcome, TestResult::Outcome::Passed);
  EXPECT_EQ(results[1].outcome, TestResult::Outcome::Failed);
  EXPECT_EQ(results[1].message, "the assertion failed: one is not two");
  EXPECT_EQ(results[1].diagnostics.size(), 1u);
  EXPECT_EQ(results[2].outcome, TestResult::Outcome::Skipped);
  EXPECT_EQ(results[2].message, "needs a GPU");
  EXPECT_EQ(results[3].outcome, TestResult::Outcome::Failed);
}

TEST(Tests, AreFilteredByName) { EXPECT_EQ(run_all(kTests, "fail").size(), 1u); }

TEST(Tests, DoNotShareRandomNumbers) {
  const std::string_view source =
      "import numpy as np\n@test\ndef a():\n    assert np.random.rand() < 0.0\n@test\ndef b():\n    assert "
      "np.random.rand() < 0.0\n";
  const std::vector<TestResult> results = run_all(source);
  EXPECT_EQ(results[0].diagnostics[0].notes, results[1].diagnostics[0].notes);
}

TEST(Tests, AnErrorOfTheFileIsNoTestsError) {
  const Program program = parse_program("x = 1 // 0\n@test\ndef a():\n    pass\n");
  RunOptions options;
  options.device = "cpu";
  EXPECT_FALSE(run_tests(program, options));
  options.device = "no-such-device";
  EXPECT_FALSE(run_tests(parse_program(kTests), options));
}

}  // namespace
}  // namespace pykc::script
