#include "measure/report.h"

#include <gtest/gtest.h>

#include "measure/units.h"

namespace pykc::measure {
namespace {

Report report() {
  Report report;
  report.kernel = "vecadd(z: f32[:], x: f32[:], y: f32[:])";
  report.device = {.name = "cpu", .description = "a \"processor\""};
  report.roofline = {.bytes_per_second = 12e9, .f32_per_second = 100e9, .f64_per_second = 50e9};
  report.points = {{.size = 1'000'000,
                    .block = {256},
                    .grid = {3907},
                    .counts = {8'000'000, 4'000'000, 1'000'000, 0},
                    .times = {.minimum = 1e-3, .median = 2e-3, .maximum = 4e-3, .samples = 11, .launches = 5}}};
  return report;
}

TEST(Report, Rates) {
  const Report measured = report();
  EXPECT_DOUBLE_EQ(bytes_per_second(measured.points[0]), 6e9);
  EXPECT_DOUBLE_EQ(flops_per_second(measured.points[0]), 0.5e9);
  EXPECT_DOUBLE_EQ(share_of_roofline(measured.roofline, measured.points[0]), 0.5);
}

TEST(Report, Table) {
  const std::string table = to_table(report());
  EXPECT_NE(table.find("vecadd(z: f32[:], x: f32[:], y: f32[:]) on cpu"), std::string::npos);
  EXPECT_NE(table.find("     1000000        256    1.00 ms    2.00 ms    4.00 ms       6.0       0.5     50.0 %\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("bytes of global memory that threads ask for"), std::string::npos);
  EXPECT_NE(table.find("copy 12.0 GB/s, f32 fma 100 GFLOP/s, f64 fma 50.0 GFLOP/s"), std::string::npos) << table;
  EXPECT_EQ(table.find("not counted"), std::string::npos);
  Report with_ptx = report();
  with_ptx.has_foreign_code = true;
  EXPECT_NE(to_table(with_ptx).find("not counted"), std::string::npos);
}

TEST(Report, Csv) {
  EXPECT_EQ(to_csv(report()),
            "size,block,grid,configuration,samples,launches_per_sample,min_seconds,median_seconds,max_seconds,bytes_"
            "loaded,bytes_stored,"
            "f32_operations,f64_operations,bytes_per_second,flops_per_second,share_of_roofline\n"
            "1000000,\"256\",\"3907\",\"\",11,5,0.001,0.002,0.004,8000000,4000000,1000000,0,6e+09,500000000,0.5\n");
}

TEST(Report, Json) {
  Report measured = report();
  measured.points[0].configuration = "N=2";
  EXPECT_NE(to_table(measured).find("roofline  configuration\n"), std::string::npos) << to_table(measured);
  EXPECT_NE(to_table(measured).find(" %  N=2\n"), std::string::npos);
  EXPECT_EQ(to_table(report()).find("configuration"), std::string::npos);
  measured.failures = {{.size = 3, .block = {2048}, .message = "too \"large\"", .configuration = "N=1"}};
  const std::string json = to_json(measured);
  EXPECT_NE(json.find("\"description\": \"a \\\"processor\\\"\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"median_seconds\": 0.002"), std::string::npos);
  EXPECT_NE(
      json.find("{\"size\": 3, \"block\": \"2048\", \"configuration\": \"N=1\", \"message\": \"too \\\"large\\\"\"}"),
      std::string::npos);
}

TEST(Units, ThreeDigitsAndAPrefix) {
  EXPECT_EQ(with_prefix(1.234e-5, "s"), "12.3 us");
  EXPECT_EQ(with_prefix(1e-3, "s"), "1.00 ms");
  EXPECT_EQ(with_prefix(9.99e-7, "s"), "999 ns");
  EXPECT_EQ(with_prefix(9.999e-7, "s"), "1.00 us");
  EXPECT_EQ(with_prefix(2, "s"), "2.00 s");
  EXPECT_EQ(with_prefix(1e9, ""), "1.00 G");
  EXPECT_EQ(with_prefix(123.4e12, "FLOP/s"), "123 TFLOP/s");
  EXPECT_EQ(with_prefix(0, "B/s"), "0.00 B/s");
}

}  // namespace
}  // namespace pykc::measure
