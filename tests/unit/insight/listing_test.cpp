// Which line of the source each line of a listing is for.
#include "insight/listing.h"

#include <gtest/gtest.h>

namespace pykc::insight {
namespace {

/// "file:line text", a line each.
std::string text_of(const Listing& listing) {
  std::string text;
  for (const ListedLine& line : listing)
    text += (line.line == 0 ? "-" : line.file + ":" + std::to_string(line.line)) + " " + line.text + "\n";
  return text;
}

TEST(Listing, OfIr) {
  EXPECT_EQ(text_of(list_ir("kernel @k(%x: ptr<f32, global>) {\n"
                            "  %0 = load %x : f32  // a folder/k.pyk:7\n"
                            "  format \"  // k.pyk:8\"\n"
                            "}")),
            "- kernel @k(%x: ptr<f32, global>) {\n"
            "a folder/k.pyk:7   %0 = load %x : f32\n"
            "-   format \"  // k.pyk:8\"\n"
            "- }\n");
}

TEST(Listing, OfPtx) {
  EXPECT_EQ(text_of(list_ptx(".visible .entry other(\n)\n{\n\tret;\n}\n"
                             ".visible .entry k(\n"
                             "\t.param .u64 k_param_0\n"
                             ")\n"
                             "{\n"
                             "$L__func_begin0:\n"
                             "\t.loc\t1 10 0\n"
                             "\n"
                             "\tmov.u32 \t%r1, %tid.x;\n"
                             "$L__tmp0:\n"
                             "\t.loc\t2 65 5, function_name $L__info_string0, inlined_at 1 11 9\n"
                             "\tbar.sync \t0;\n"
                             "\t.loc\t2 0 5\n"
                             "\tret;\n"
                             "}\n"
                             "\t.file\t1 \"./k.pyk\"\n"
                             "\t.file\t2 \"./<pykc.reduce>\"\n",
                             "k")),
            "- .visible .entry k(\n"
            "- \t.param .u64 k_param_0\n"
            "- )\n"
            "- {\n"
            "k.pyk:10 mov.u32 \t%r1, %tid.x;\n"
            "<pykc.reduce>:65 bar.sync \t0;\n"
            "- ret;\n"
            "- }\n");
}

TEST(Listing, OfSass) {
  EXPECT_EQ(text_of(list_sass("\t.section\t.text.other,\"ax\",@progbits\n"
                              "        /*0000*/                   EXIT ;\n"
                              "\t.section\t.text.k,\"ax\",@progbits\n"
                              ".text.k:\n"
                              "\t//## File \"/tmp/k.pyk\", line 19 inlined at \"/tmp/k.pyk\", line 20\n"
                              "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                              ".L_x_1:\n"
                              "\t//## File \"./k.pyk\", line 25\n"
                              "        /*0290*/              @!P3 LDG.E R0, desc[UR4][R12.64] ;\n"
                              "        /*02a0*/                   NOP;\n",
                              "k")),
            "/tmp/k.pyk:19 0000       LDC R1, c[0x0][0x28]\n"
            "- .L_x_1:\n"
            "k.pyk:25 0290  @!P3 LDG.E R0, desc[UR4][R12.64]\n");
}

TEST(Listing, OfNothing) {
  EXPECT_TRUE(list_ptx("", "k").empty());
  EXPECT_TRUE(list_sass("", "k").empty());
}

}  // namespace
}  // namespace pykc::insight
