// LLVM's registry of passes, in place of its own (lib/IR/PassRegistry.cpp), which this file keeps out of the link: it
// is locked while it grows and while it is read, and LLVM, compiled without exceptions, leaves it locked and half grown
// where memory ends meanwhile. Every later compilation of the process would wait for ever. Here std::bad_alloc leaves
// it as it was, and what was to be entered is entered by the next compilation.
#include <llvm/Pass.h>
#include <llvm/PassInfo.h>
#include <llvm/PassRegistry.h>

#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

/// All passes by their IDs; those that are to be freed have an owner.
struct Entry {
  const llvm::PassInfo* pass;
  std::unique_ptr<const llvm::PassInfo> owner;
};
std::unordered_map<const void*, Entry>& entries() {
  static std::unordered_map<const void*, Entry> all;
  return all;
}

}  // namespace

namespace llvm {

PassRegistry* PassRegistry::getPassRegistry() {
  static PassRegistry registry;
  return &registry;
}

PassRegistry::~PassRegistry() = default;

const PassInfo* PassRegistry::getPassInfo(const void* id) const {
  const std::shared_lock lock(Lock);
  const auto found = entries().find(id);
  return found == entries().end() ? nullptr : found->second.pass;
}

/// Asked by options of LLVM's command line alone.
const PassInfo* PassRegistry::getPassInfo(StringRef argument) const {
  const std::shared_lock lock(Lock);
  for (const auto& [id, entry] : entries())
    if (entry.pass->getPassArgument() == argument) return entry.pass;
  return nullptr;
}

void PassRegistry::registerPass(const PassInfo& pass, bool should_free) {
  std::unique_ptr<const PassInfo> owner(should_free ? &pass : nullptr);
  const std::lock_guard lock(Lock);
  entries().try_emplace(pass.getTypeInfo(), Entry{&pass, std::move(owner)});
  for (PassRegistrationListener* listener : Listeners) listener->passRegistered(&pass);
}

void PassRegistry::enumerateWith(PassRegistrationListener* listener) {
  const std::shared_lock lock(Lock);
  for (const auto& [id, entry] : entries()) listener->passEnumerate(entry.pass);
}

void PassRegistry::addRegistrationListener(PassRegistrationListener* listener) {
  const std::lock_guard lock(Lock);
  Listeners.push_back(listener);
}

void PassRegistry::removeRegistrationListener(PassRegistrationListener* listener) {
  const std::lock_guard lock(Lock);
  std::erase(Listeners, listener);
}

}  // namespace llvm
