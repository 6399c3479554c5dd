// Artifacts that are loaded, linked and refused; their constants, and the stack that they need.
#include <elf.h>

#include <cstring>

#include "tests/unit/runtime/cuda_mock/fixture.h"

namespace pykc::testing {
namespace {

TEST_F(CudaMock, RecursionReservesStackWhileItsModuleLives) {
  Device device = Device::open("cuda:0").value();
  Artifact artifact = test_artifact();
  EXPECT_TRUE(device.load(artifact));
  EXPECT_EQ(mock_calls("cuCtxSetLimit"), 0);
  artifact.kernels[0].recursion_bytes = 10000;
  {
    const Result<Module> deep = device.load(artifact);
    ASSERT_TRUE(deep);
    EXPECT_EQ(mock_calls("cuCtxSetLimit"), 1);
    artifact.kernels[0].recursion_bytes = 5000;
    EXPECT_TRUE(device.load(artifact));  // there is enough
    EXPECT_EQ(mock_calls("cuCtxSetLimit"), 1);
    artifact.kernels[0].recursion_bytes = 20000;
    EXPECT_TRUE(device.load(artifact));
    EXPECT_EQ(mock_calls("cuCtxSetLimit"), 3);  // more, and back to what `deep` needs
  }
  EXPECT_EQ(mock_calls("cuCtxSetLimit"), 4);
  artifact.kernels[2].recursion_bytes = 30000;
  mock_fail("cuCtxSetLimit", 1, kOutOfMemory);
  expect_error(device.load(artifact), ErrorCode::OutOfMemory, "cuCtxSetLimit failed");
  mock_fail("cuCtxGetLimit", 1, kNotInitialized);
  expect_error(device.load(artifact), ErrorCode::DriverError, "cuCtxGetLimit failed");
  artifact.kernels[2].recursion_bytes = -1;
  expect_error(device.load(artifact), ErrorCode::InputOutput, "has a stack for recursion of -1 bytes");
}

TEST_F(CudaMock, StackThatOtherCodeReservesStays) {
  const Device device = Device::open("cuda:0").value();
  Artifact artifact = test_artifact();
  artifact.kernels[0].recursion_bytes = 10000;
  *mock_stack_limit() = 4096;
  EXPECT_TRUE(device.load(artifact));
  EXPECT_EQ(*mock_stack_limit(), 4096U);
  {
    const Result<Module> deep = device.load(artifact);
    ASSERT_TRUE(deep);
    EXPECT_EQ(*mock_stack_limit(), 11024U);
    *mock_stack_limit() = 50000;
    EXPECT_TRUE(device.load(artifact));
    EXPECT_EQ(*mock_stack_limit(), 50000U);
  }
  EXPECT_EQ(*mock_stack_limit(), 50000U);
}

TEST_F(CudaMock, LoadingFailsWithTheCompilersLog) {
  const Device device = Device::open("cuda:0").value();
  mock_fail_next_load("ptxas line 7: unexpected token");
  expect_error(device.load(test_artifact()), ErrorCode::DriverError,
               "CUDA_ERROR_INVALID_PTX (a PTX JIT compilation failed), code 218\nptxas line 7: unexpected token");
  expect_failures({"cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncGetAttribute", "cuModuleGetGlobal"},
                  [&] { return device.load(test_artifact()); });
}

TEST_F(CudaMock, RefusesArtifactsForOtherDevices) {
  const Device device = Device::open("cuda:0").value();
  Artifact artifact = test_artifact();
  artifact.target = "cpu:znver4";
  expect_error(device.load(artifact), ErrorCode::Unsupported, "device cuda:0 needs one for sm_90");
  artifact.target = "nvptx:sm_100";
  expect_error(device.load(artifact), ErrorCode::Unsupported, "cuda:0 is an older sm_90a; compile for sm_90a");
  artifact.target = "nvptx:sm_90a";
  EXPECT_TRUE(device.load(artifact));
}

TEST_F(CudaMock, RefusesDamagedCode) {
  const Device device = Device::open("cuda:0").value();
  Artifact artifact = test_artifact();
  for (const std::string& code : {std::string(), std::string("\x7f"),
                                  std::string("\x7f"
                                              "ELF"),
                                  "\x7f"
                                  "ELF" +
                                      std::string(100, '\xff'),
                                  std::string("\x50\xed\x55\xba", 4)}) {
    artifact.code = code;
    const Result<Module> module = device.load(artifact);
    ASSERT_FALSE(module);
    EXPECT_TRUE(module.error().code == ErrorCode::InputOutput || code[0] == '\x50') << module.error().message;
  }
  artifact = test_artifact();
  artifact.kernels[0].symbol = "other";
  expect_error(device.load(artifact), ErrorCode::InputOutput, "no entry point `other`");
}

TEST_F(CudaMock, LibrariesAreLinkedWhenTheModuleIsLoaded) {
  const Device device = Device::open("cuda:0").value();
  Artifact artifact = test_artifact();
  artifact.libraries = {{"library.ptx", ".func in_the_library(\n.entry scale2(\n"}};
  artifact.kernels.push_back(artifact.kernels.front());
  artifact.kernels.back().symbol = "scale2";  // which the library alone has
  EXPECT_TRUE(device.load(artifact));
  EXPECT_EQ(mock_calls("cuLinkAddData"), 2);
  EXPECT_EQ(mock_calls("cuLinkDestroy"), 1);
  for (const char* call : {"cuLinkCreate", "cuLinkAddData", "cuLinkComplete"}) {
    mock_fail(call, 1, kOutOfMemory);
    expect_error(device.load(artifact), ErrorCode::OutOfMemory, call);
  }
  mock_fail_next_load("ptxas error: in_the_library is defined twice");
  const Result<Module> refused = device.load(artifact);
  expect_error(refused, ErrorCode::DriverError, "cuLinkComplete");
  expect_error(refused, ErrorCode::DriverError, "in_the_library is defined twice");
  artifact.libraries.front().bytes = "\177ELF";
  expect_error(device.load(artifact), ErrorCode::InputOutput, "library.ptx is neither PTX nor a whole cubin");
}

TEST_F(CudaMock, TheLinkerIsToldWhatALibraryIs) {
  const auto elf = [](int machine) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_machine = static_cast<Elf64_Half>(machine);
    return std::string(reinterpret_cast<const char*>(&header), sizeof(header));
  };
  const Device device = Device::open("cuda:0").value();
  Artifact artifact = test_artifact();
  artifact.libraries = {{"a.ptx", ".version 8.0\n"},
                        {"b.cubin", elf(EM_CUDA)},
                        {"c.fatbin", "\x50\xed\x55\xba"},
                        {"d.o", elf(EM_X86_64)},
                        {"e.a", "!<arch>\n"}};
  EXPECT_TRUE(device.load(artifact));
  EXPECT_EQ(mock_calls("input 1"), 2);  // PTX: of the kernels, too
  for (const char* other : {"input 0", "input 2", "input 3", "input 4"}) EXPECT_EQ(mock_calls(other), 1) << other;
}

TEST_F(CudaMock, UnoptimisedCodeIsAssembledAsItIs) {
  const Device device = Device::open("cuda:0").value();
  Artifact artifact = test_artifact();
  EXPECT_TRUE(device.load(artifact));
  EXPECT_EQ(mock_assembler_level(), kHighestAssemblerLevel);
  artifact.assembler_level = 0;
  EXPECT_TRUE(device.load(artifact));
  EXPECT_EQ(mock_assembler_level(), 0);
  artifact.libraries = {{"library.ptx", ".func in_the_library(\n"}};
  artifact.assembler_level = 2;
  EXPECT_TRUE(device.load(artifact));
  EXPECT_EQ(mock_assembler_level(), 2);
}

TEST_F(CudaMock, ConstantsAreSetByTheirNames) {
  Artifact artifact = test_artifact();
  artifact.code += ".visible .const .align 16 .b8 WEIGHTS[12];\n.visible .const .align 16 .b8 filters_u2eN[4];\n";
  artifact.constants = {{"WEIGHTS", "WEIGHTS", {ScalarType::F32, Layout::RowMajor, {3}}},
                        {"filters.N", "filters_u2eN", {ScalarType::I32, Layout::RowMajor, {1}}}};
  const Device device = Device::open("cuda").value();
  const Stream stream = device.create_stream().value();
  const Module module = device.load(artifact).value(), other = device.load(artifact).value();
  EXPECT_EQ(module.constants(), artifact.constants);
  const std::vector<float> values = {1, 2, 4}, others = {7, 8, 9};
  module.set_constant("WEIGHTS", values).value();
  module.set_constant("filters.N", 5).value();
  other.set_constant(stream, "WEIGHTS", others).value();
  stream.synchronize().value();
  std::vector<float> weights(3);
  module.constant<float>("WEIGHTS")->copy_to(weights).value();
  EXPECT_EQ(weights, values);
  int n = 0;
  module.constant_bytes("filters.N")->copy_to_host(&n, 4).value();
  EXPECT_EQ(n, 5);

  // As work of a graph, which reads the values anew at each launch.
  std::vector<float> changing = {0, 0, 1};
  stream.begin_capture().value();
  module.set_constant(stream, "WEIGHTS", changing).value();
  const Graph graph = stream.end_capture().value();
  changing[0] = 3;
  graph.launch(stream).value();
  module.constant<float>("WEIGHTS")->copy_to(weights).value();
  EXPECT_EQ(weights, changing);

  const Array<float> kept = Device::open("cuda").value().load(artifact)->constant<float>("WEIGHTS").value();
  kept.fill_zero().value();  // its module is still loaded

  artifact.constants[1].type.extents = {2};
  expect_error(device.load(artifact), ErrorCode::InputOutput, "its code has no variable `filters_u2eN` of 8 bytes");
  artifact.constants[1].symbol = "missing";
  expect_error(device.load(artifact), ErrorCode::InputOutput, "its code has no variable `missing`");
}

}  // namespace
}  // namespace pykc::testing
