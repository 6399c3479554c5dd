// The bytes of an artifact: a header, then the payload, all integers little-endian.
//
//   8 bytes  "pykcart\n"
//   u32      format version
//   u64      length of the payload in bytes
//   u64      FNV-1a hash of the payload
//   payload  the fields of Artifact in order; a string or list is its u64 length, then its elements
//
// One function per type says in which order its fields stand, and serves the writer and the reader alike, so the two
// cannot drift apart. The reader checks every length against the bytes that are left before it uses it. FNV-1a is a
// bijection of its state at every step, so a payload with one changed byte never has the right hash.
#include "pykc/artifact.h"

#include <bit>
#include <cstring>
#include <type_traits>

#include "base/errors.h"

namespace pykc {

namespace {

constexpr std::string_view kMagic = "pykcart\n";
constexpr std::uint32_t kVersion = 15;
constexpr std::size_t kHeaderBytes = 8 + 4 + 8 + 8;
static_assert(std::endian::native == std::endian::little, "integers are copied as they lie in memory");

std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  return hash;
}

class Writer {
 public:
  template <typename T>
  requires std::is_integral_v<T> || std::is_enum_v<T>
  void field(const T& value) {
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    bytes_.append(bytes, sizeof(T));
  }
  void field(const std::string& text) {
    field(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }
  template <typename T>
  void field(const std::vector<T>& list) {
    field(static_cast<std::uint64_t>(list.size()));
    for (const T& element : list) field(element);
  }
  void field(const RecordRef& record) {
    field(static_cast<bool>(record));
    if (record) field(*record);
  }
  template <typename T>
  requires std::is_class_v<T>
  void field(const T& value) { visit_fields(*this, value); }
  std::string take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// The last valid value of each enumeration that is stored.
constexpr auto last_of(ScalarType) { return static_cast<ScalarType>(kScalarTypeCount - 1); }
constexpr auto last_of(Layout) { return Layout::Strided; }
constexpr auto last_of(RecordType::Kind) { return RecordType::Kind::Text; }
constexpr auto last_of(ObservedSite::Kind) { return ObservedSite::Kind::Returned; }
constexpr auto last_of(LaunchExpression::Op) { return LaunchExpression::Op::Maximum; }

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  requires std::is_integral_v<T>
  void field(T& value) {
    if (bytes_.size() < sizeof(T)) return fail();
    bytes_.copy(reinterpret_cast<char*>(&value), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
  }
  void field(bool& value) {
    std::uint8_t byte = 0;
    field(byte);
    if (byte > 1) fail();
    value = byte == 1;
  }
  template <typename T>
  requires std::is_enum_v<T>
  void field(T& value) {
    std::underlying_type_t<T> number = 0;
    field(number);
    if (number > static_cast<std::underlying_type_t<T>>(last_of(T{}))) return fail();
    value = static_cast<T>(number);
  }
  void field(std::string& text) {
    const std::size_t size = length();
    text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
  }
  template <typename T>
  void field(std::vector<T>& list) {
    const std::size_t size = length();  // every element takes a byte or more, so a wrong size ends at the last byte
    for (std::size_t i = 0; i < size && !failed_; ++i) field(list.emplace_back());
  }
  void field(RecordRef& record) {
    bool is_there = false;
    field(is_there);
    if (!is_there) return;
    if (++record_depth_ > kDeepestRecord) return fail();
    RecordType type;
    field(type);
    record = RecordRef(std::move(type));
    --record_depth_;
  }
  template <typename T>
  requires std::is_class_v<T>
  void field(T& value) { visit_fields(*this, value); }
  /// Was everything there, and nothing more?
  bool succeeded() const { return !failed_ && bytes_.empty(); }

 private:
  std::size_t length() {
    std::uint64_t size = 0;
    field(size);
    if (size <= bytes_.size()) return size;
    fail();
    return 0;
  }
  void fail() {
    failed_ = true;
    bytes_ = {};
  }
  static constexpr int kDeepestRecord = 64;  // records in records
  std::string_view bytes_;
  int record_depth_ = 0;
  bool failed_ = false;
};

template <typename... Fields>
void visit_all(auto& archive, Fields&... fields) {
  (archive.field(fields), ...);
}

// `Same` lets one function take a const value from the writer and a mutable one from the reader.
template <typename Value, typename T>
concept Same = std::is_same_v<std::remove_const_t<Value>, T>;

void visit_fields(auto& archive, Same<ElementType> auto& v) { visit_all(archive, v.scalar, v.record); }
void visit_fields(auto& archive, Same<RecordField> auto& v) { visit_all(archive, v.name, v.type, v.extents, v.offset); }
void visit_fields(auto& archive, Same<RecordType> auto& v) {
  visit_all(archive, v.name, v.kind, v.fields, v.bytes, v.alignment);
}
void visit_fields(auto& archive, Same<ArrayType> auto& v) { visit_all(archive, v.element, v.layout, v.extents); }
void visit_fields(auto& archive, Same<ParameterInfo> auto& v) {
  visit_all(archive, v.name, v.is_array, v.value, v.array, v.is_written);
}
void visit_fields(auto& archive, Same<LaunchExpression::Term> auto& v) { visit_all(archive, v.op, v.constant); }
void visit_fields(auto& archive, Same<LaunchExpression> auto& v) { visit_all(archive, v.terms); }
void visit_fields(auto& archive, Same<FaultSite> auto& v) { visit_all(archive, v.message, v.file, v.line, v.column); }
void visit_fields(auto& archive, Same<SourcePlace> auto& v) {
  visit_all(archive, v.file, v.line, v.column, v.end_line, v.end_column, v.source_line, v.source_line_column);
}
void visit_fields(auto& archive, Same<Sanitize> auto& v) {
  visit_all(archive, v.bounds, v.races, v.uninitialised, v.divergence);
}
void visit_fields(auto& archive, Same<ObservedSite> auto& v) {
  visit_all(archive, v.kind, v.is_shared, v.is_local, v.is_packed, v.acquires, v.releases, v.is_for_block,
            v.is_predictable, v.is_alike, v.is_dropped, v.is_async, v.decides, v.bytes, v.depth, v.array, v.steps[0],
            v.steps[1], v.steps[2], v.splits_equal_from_less, v.splits_equal_from_more, v.ignored, v.issued_at,
            v.place);
}
void visit_fields(auto& archive, Same<Operations> auto& v) {
  visit_all(archive, v.instructions, v.f32, v.f64, v.integer, v.linear, v.math, v.math_f64, v.conversions, v.barriers,
            v.warp, v.global_loads);
}
void visit_fields(auto& archive, Same<ObservedCode> auto& v) {
  visit_all(archive, v.site, v.place, v.loops, v.operations);
}
void visit_fields(auto& archive, Same<SharedArrayInfo> auto& v) { visit_all(archive, v.name, v.offset, v.type); }
void visit_fields(auto& archive, Same<Dim3> auto& v) { visit_all(archive, v.x, v.y, v.z); }
void visit_fields(auto& archive, Same<WatchedKernel> auto& v) {
  visit_all(archive, v.symbol, v.scratch_bytes, v.looks_for, v.sites, v.shared_arrays, v.local_arrays, v.is_predictable,
            v.has_alike_blocks, v.doubtful_sites, v.code, v.gpu_target, v.ptx, v.gpu_symbol, v.ir, v.gpu_shared_bytes);
}
void visit_fields(auto& archive, Same<TensorMapInfo> auto& v) { visit_all(archive, v.parameter, v.box, v.swizzle); }
void visit_fields(auto& archive, Same<KernelInfo> auto& v) {
  visit_all(archive, v.name, v.symbol, v.parameters, v.static_shared_bytes, v.shared_alignment, v.dynamic_shared_bytes,
            v.uses_launch_shared_bytes, v.is_cooperative, v.begins_early, v.runs_warps_apart, v.max_threads_per_block,
            v.cluster, v.recursion_bytes, v.faults, v.tensor_maps, v.watched, v.scratch_bytes);
}
void visit_fields(auto& archive, Same<ConstantInfo> auto& v) { visit_all(archive, v.name, v.symbol, v.type); }
void visit_fields(auto& archive, Same<Library> auto& v) { visit_all(archive, v.name, v.bytes); }
void visit_fields(auto& archive, Same<Artifact> auto& v) {
  visit_all(archive, v.target, v.code, v.kernels, v.libraries, v.constants, v.assembler_level);
}

Error broken(std::string why) {
  return Error{ErrorCode::InputOutput, "this is not a pykc artifact that can be loaded: " + std::move(why)};
}

}  // namespace

std::string Artifact::serialize() const {
  Writer payload;
  payload.field(*this);
  const std::string bytes = std::move(payload).take();
  Writer header;
  header.field(kVersion);
  header.field(static_cast<std::uint64_t>(bytes.size()));
  header.field(fnv1a(bytes));
  return std::string(kMagic) + std::move(header).take() + bytes;
}

Result<Artifact> Artifact::parse(std::string_view bytes) try {
  if (bytes.substr(0, kMagic.size()) != kMagic) return broken("it does not start with the magic word");
  if (bytes.size() < kHeaderBytes) return broken("the header is cut off");
  std::uint32_t version = 0;
  std::uint64_t size = 0, hash = 0;
  Reader header(bytes.substr(kMagic.size()));
  visit_all(header, version, size, hash);
  const std::string_view payload = bytes.substr(kHeaderBytes);
  if (version != kVersion)
    return broken("it has format version " + std::to_string(version) + ", this pykc reads version " +
                  std::to_string(kVersion) + "; compile it again");
  if (size != payload.size())
    return broken("it should have " + std::to_string(size) + " bytes after the header, but has " +
                  std::to_string(payload.size()));
  if (hash != fnv1a(payload)) return broken("its bytes were changed after it was written (the hash differs)");
  Artifact artifact;
  Reader reader(payload);
  reader.field(artifact);
  if (!reader.succeeded()) return broken("its fields are malformed");
  return artifact;
} catch (...) {
  return error_in_flight();
}

}  // namespace pykc
