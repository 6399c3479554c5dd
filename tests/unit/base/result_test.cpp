// Result: what callers may do with it, and what ends the program.
#include <gtest/gtest.h>

#include <concepts>
#include <memory>

#include "pykc/error.h"

namespace pykc {
namespace {

const Error kFailure{ErrorCode::NotFound, "nothing there"};

Result<std::unique_ptr<int>> half(int number) {
  if (number % 2 == 0) return std::make_unique<int>(number / 2);
  return Error{ErrorCode::InvalidArgument, std::to_string(number) + " is odd"};
}

// Of a temporary, a reference would dangle.
static_assert(std::same_as<decltype(half(2).value()), std::unique_ptr<int>>);
static_assert(std::same_as<decltype(*half(2)), std::unique_ptr<int>>);
static_assert(std::same_as<decltype(half(2).error()), Error>);
static_assert(std::same_as<decltype(Result<void>().error()), Error>);

TEST(Result, ValuesAndErrorsOfTemporariesAreTheCallersOwn) {
  const std::unique_ptr<int>& value = half(8).value();
  EXPECT_EQ(*value, 4);
  const Error& error = half(7).error();
  EXPECT_EQ(error.message, "7 is odd");
}

TEST(Result, HasAValueOrAnother) {
  const Result<int> five = 5, failed = kFailure;
  EXPECT_EQ(five.value_or(1), 5);
  EXPECT_EQ(failed.value_or(1), 1);
  EXPECT_EQ(*half(3).value_or(std::make_unique<int>(9)), 9);
}

TEST(Result, StepsAreStrungTogether) {
  const auto quarter = [](int number) {
    return half(number).and_then([](std::unique_ptr<int> value) { return half(*value); });
  };
  EXPECT_EQ(*quarter(12).value(), 3);
  EXPECT_EQ(quarter(6).error().message, "3 is odd");
  EXPECT_EQ(quarter(5).error().message, "5 is odd");

  const Result<int> seven = 7;
  const auto check = [](const int& value) { return value > 5 ? Result<void>() : Result<void>(kFailure); };
  EXPECT_TRUE(seven.and_then(check));
  EXPECT_EQ(Result<int>(3).and_then(check).error().message, kFailure.message);
  int calls = 0;
  const auto count = [&]() -> Result<int> { return ++calls; };
  EXPECT_EQ(seven.and_then(check).and_then(count).value(), 1);
  EXPECT_EQ(Result<void>(kFailure).and_then(count).error().code, ErrorCode::NotFound);
  EXPECT_EQ(calls, 1);
}

TEST(ResultDeathTest, WhatIsNotThereEndsTheProgram) {
  const Result<int> five = 5, failed = kFailure;
  EXPECT_DEATH((void)failed.value(), "value\\(\\) of a failed result: nothing there");
  EXPECT_DEATH((void)*failed, "value\\(\\) of a failed result: nothing there");
  EXPECT_DEATH(Result<void>(kFailure).value(), "value\\(\\) of a failed result: nothing there");
  EXPECT_DEATH((void)five.error(), "error\\(\\) of a successful result");
  EXPECT_DEATH((void)half(2).error(), "error\\(\\) of a successful result");
  EXPECT_DEATH((void)Result<void>().error(), "error\\(\\) of a successful result");
}

}  // namespace
}  // namespace pykc
