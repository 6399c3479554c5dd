#include "frontend/checked/type.h"

#include <algorithm>
#include <array>
#include <utility>

namespace pykc::checked {
namespace {

constexpr const char* kSpaces[] = {
    "", " in shared memory", " in local memory", " in constant memory", "", " in the cluster's shared memory"};

/// Gathers a hash from those of parts, in order.
class Hasher {
 public:
  template <typename T>
  Hasher& add(const T& part) {
    hash_ = hash_ * 31 + std::hash<T>()(part);
    return *this;
  }
  Hasher& add(const RecordRef& record) { return record ? add(record->name) : *this; }
  std::size_t get() const { return hash_; }

 private:
  std::size_t hash_ = 0;
};

}  // namespace

Type::Type() {
  static const TypeData kNone;
  data_ = &kNone;
}

Type Type::of(ScalarType scalar) {
  static const auto kScalars = [] {
    std::array<TypeData, kScalarTypeCount> scalars;
    for (int i = 0; i < kScalarTypeCount; ++i)
      scalars[static_cast<std::size_t>(i)] = {.kind = Kind::Scalar, .scalar = static_cast<ScalarType>(i)};
    return scalars;
  }();
  return Type(&kScalars[static_cast<std::size_t>(scalar)]);
}

std::string to_string(Type type) {
  switch (type->kind) {
    case Type::Kind::None:
      return "None";
    case Type::Kind::Scalar:
      return std::string(pykc::to_string(type->scalar));
    case Type::Kind::Array:
      return (type->is_pointer ? "CPointer(" + pykc::to_string(type->array.element) + ")"
                               : pykc::to_string(type->array)) +
             kSpaces[static_cast<std::size_t>(type->space)];
    case Type::Kind::Record:
      return type->record->name;
    case Type::Kind::Static:
      return type->names.empty() ? "a function" : type->names.front();
    case Type::Kind::Tuple:
      break;
  }
  std::string text = "tuple[";
  for (const Type element : type->elements) text += (text.size() > 6 ? ", " : "") + to_string(element);
  return text + "]";
}

Type TypePool::of(const ElementType& type) {
  return type.is_record() ? intern({.kind = Type::Kind::Record, .record = type.record}) : Type::of(type.scalar);
}

Type TypePool::of(ArrayType array, ir::AddressSpace space) {
  return intern({.kind = Type::Kind::Array, .space = space, .array = std::move(array)});
}

Type TypePool::pointer(ArrayType array, ir::AddressSpace space) {
  std::ranges::fill(array.extents, ArrayType::kDynamic);
  return intern({.kind = Type::Kind::Array, .space = space, .array = std::move(array), .is_pointer = true});
}

Type TypePool::tuple(std::vector<Type> elements, std::vector<std::string> names) {
  return intern({.kind = Type::Kind::Tuple, .elements = std::move(elements), .names = std::move(names)});
}

Type TypePool::of_static(int entity, std::vector<Type> variables, std::vector<std::string> names) {
  return intern(
      {.kind = Type::Kind::Static, .entity = entity, .elements = std::move(variables), .names = std::move(names)});
}

Type TypePool::with_elements(Type type, std::vector<Type> elements) {
  TypeData data = *type.data_;
  data.elements = std::move(elements);
  return intern(std::move(data));
}

std::vector<Type> TypePool::components(Type type) {
  if (!type.is_record()) return type->elements;
  std::vector<Type> types;
  for (const RecordField& field : type->record->fields) {
    Type component = of(field.type);
    for (std::size_t i = field.extents.size(); i-- > 0;)
      component = tuple(std::vector<Type>(static_cast<std::size_t>(field.extents[i]), component));
    types.push_back(component);
  }
  return types;
}

std::size_t TypePool::Hash::operator()(const TypeData& data) const {
  Hasher hasher;
  hasher.add(data.kind).add(data.entity).add(data.space).add(data.array.element.scalar).add(data.array.layout);
  hasher.add(data.array.element.record).add(data.record);
  for (const std::int64_t extent : data.array.extents) hasher.add(extent);
  for (const Type element : data.elements) hasher.add(element);
  for (const std::string& name : data.names) hasher.add(name);
  return hasher.get();
}

}  // namespace pykc::checked
