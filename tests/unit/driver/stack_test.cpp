// Compilations on threads with little stack, as servers and languages with threads of their own have them.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <functional>
#include <string>

#include "pykc/compiler.h"

namespace {

std::atomic<bool> system_has_no_thread = false;

}  // namespace

/// In place of the system's, in this program.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                              void* argument) noexcept {
  static const auto next = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return system_has_no_thread ? EAGAIN : next(thread, attributes, start, argument);
}

namespace pykc {
namespace {

constexpr std::size_t kSmallStack = std::size_t{256} << 10;

void run_on_small_stack(std::function<void()> work) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kSmallStack), 0);
  pthread_t thread;
  const auto start = [](void* given) -> void* {
    (*static_cast<std::function<void()>*>(given))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, start, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

std::string repeated(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

std::string assigning(const std::string& expression) {
  return "from pykc import *\n\n\n@kernel\ndef k(x: f32[:], a: f32):\n    x[0] = " + expression + "\n";
}

/// Functions that call each other, each as deep within an expression as an expression may be.
std::string functions_within_each_other() {
  std::string source = "from pykc import *\n\n\ndef level0(x):\n    return x\n";
  for (int i = 1; i < 60; ++i)
    source += "\n\ndef level" + std::to_string(i) + "(x):\n    return " + repeated("- ", 480) + "level" +
              std::to_string(i - 1) + "(x)\n";
  return source + "\n\n@kernel\ndef k(x: i32[:]):\n    x[0] = level59(x[0])\n";
}

TEST(Stack, DeepSourcesCompileOnASmallOne) {
  for (const char* target : {"cpu", "sm_90"})
    for (const std::string& source :
         {assigning(repeated("a if a > 0.0 else ", 480) + "a"), assigning(repeated("- ", 480) + "a")})
      run_on_small_stack([&] {
        const Result<Artifact> artifact = compile(source, {.target = target, .cache = false, .warnings = false});
        EXPECT_TRUE(artifact) << target << ": " << artifact.error().message;
      });
}

TEST(Stack, ASystemWithoutRoomForAThreadIsOutOfMemory) {
  const std::string source = assigning("a");
  run_on_small_stack([&] {
    system_has_no_thread = true;
    const Result<Artifact> artifact = compile(source, {.target = "sm_90", .cache = false});
    system_has_no_thread = false;
    ASSERT_FALSE(artifact);
    EXPECT_EQ(artifact.error().code, ErrorCode::OutOfMemory);
    EXPECT_TRUE(compile(source, {.target = "sm_90", .cache = false}));
  });
}

void expect_error(const std::string& source, const std::string& code) {
  run_on_small_stack([&] {
    const Result<Artifact> artifact = compile(source, {.target = "cpu", .cache = false});
    ASSERT_FALSE(artifact);
    ASSERT_FALSE(artifact.error().diagnostics.empty());
    EXPECT_EQ(artifact.error().diagnostics.front().code, code);
  });
}

TEST(Stack, WhatIsTooDeepIsAnError) {
  expect_error(assigning(repeated("a and ", 100'000) + "a"), "E0269");
  expect_error(assigning(repeated("-", 100'000) + "a"), "E0140");
  expect_error(assigning(repeated("a + ", 100'000) + "a"), "E0140");
  expect_error(functions_within_each_other(), "E0269");
}

}  // namespace
}  // namespace pykc
