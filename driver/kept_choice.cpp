#include "driver/kept_choice.h"

#include "codegen/codegen.h"

namespace pykc::driver {

KeptChoice::KeptChoice(const Program& program, const KernelRequest& request, const CompileOptions& options,
                       const std::string& situation) {
  const codegen::MemoryMayEnd around_all;
  const Result<codegen::Target> target = codegen::Target::parse(options.target);
  if (!options.cache || !target) return;
  if (Result<ArtifactCache> opened = ArtifactCache::open()) cache_ = std::move(*opened);
  if (cache_) key_ = cache_->key(program, {request}, options, codegen::describe_machine(*target) + "\n" + situation);
}

std::optional<std::string> KeptChoice::find() const { return cache_ ? cache_->find_text(key_) : std::nullopt; }

void KeptChoice::store(const std::string& text) const {
  if (cache_) cache_->store_text(key_, text);
}

}  // namespace pykc::driver
