#include "measure/sweep.h"

#include <gtest/gtest.h>

namespace pykc::measure {
namespace {

using Sizes = std::vector<std::int64_t>;
using Blocks = std::vector<Dim3>;

TEST(Sweep, Sizes) {
  EXPECT_EQ(parse_sizes("1e4,1e5,1e6").value(), (Sizes{10'000, 100'000, 1'000'000}));
  EXPECT_EQ(parse_sizes("65_536").value(), (Sizes{65'536}));
  EXPECT_EQ(parse_sizes("1024..8192").value(), (Sizes{1024, 2048, 4096, 8192}));
  EXPECT_EQ(parse_sizes("7, 100..399 ,3").value(), (Sizes{7, 100, 200, 3}));
  EXPECT_EQ(parse_sizes("5..5").value(), (Sizes{5}));
}

TEST(Sweep, Blocks) {
  EXPECT_EQ(parse_blocks("64..1024").value(), (Blocks{{64}, {128}, {256}, {512}, {1024}}));
  EXPECT_EQ(parse_blocks("64,128,16x16,8x8x4").value(), (Blocks{{64}, {128}, {16, 16}, {8, 8, 4}}));
  EXPECT_EQ(extents_text({16, 16}), "16x16");
  EXPECT_EQ(extents_text({16, 1, 2}), "16x1x2");
  EXPECT_EQ(extents_text({64}), "64");
}

TEST(Sweep, WhatIsWrongIsNamed) {
  for (const char* text :
       {"", "abc", "0", "-1", "1.5", "1e4,", "1e99", "nan", "inf", "8..4", "4..", "..4", "0..4", "12k"})
    EXPECT_FALSE(parse_sizes(text)) << text;
  for (const char* text : {"", "x", "16x", "x16", "16x0", "16xx16", "1x1x1x1", "16x16..32x32", "64..1e9x2", "a..b"})
    EXPECT_FALSE(parse_blocks(text)) << text;
  EXPECT_EQ(parse_sizes("1e4,12k").error().message,
            "`12k` is no whole number from 0 to 2^48; write 65536, 65_536 or 1e6");
  EXPECT_EQ(parse_blocks("8x8x4x2").error().message,
            "`8x8x4x2` is no shape of threads: it has at most 3 axes, such as 8x8x4");
}

TEST(Sweep, ShapesHaveAnyRank) {
  EXPECT_EQ(parse_shape("1024x512").value(), (Sizes{1024, 512}));
  EXPECT_EQ(parse_shape("1e3x2x3x4").value(), (Sizes{1000, 2, 3, 4}));
  EXPECT_FALSE(parse_shape("1024,512"));
}

}  // namespace
}  // namespace pykc::measure
