#include "codegen/code_passes.h"

#include <gtest/gtest.h>
#include <llvm/Support/raw_ostream.h>

#include <set>
#include <string>

#include "codegen/machine.h"

namespace pykc::codegen {
namespace {

struct NamesOfPasses : llvm::legacy::PassManager {
  void add(llvm::Pass* pass) override {
    names.insert(pass->getPassName().str());
    PassManager::add(pass);
  }
  std::set<std::string> names;
};

/// LLVM may call one otherwise in its next release, which then would be back.
TEST(CodePassesTest, LeavesOutWhatThereIs) {
  const Machine machine = machine_for(Target::parse("cpu").value(), {.optimization = 3}, 0);
  NamesOfPasses passes;
  llvm::SmallVector<char> code;
  llvm::raw_svector_ostream out(code);
  machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile);
  for (const llvm::StringRef name : left_out_for_host()) EXPECT_TRUE(passes.names.contains(name.str())) << name.str();
}

}  // namespace
}  // namespace pykc::codegen
