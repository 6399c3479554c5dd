#include "measure/elements.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/float_bits.h"

namespace pykc::measure {
namespace {

void add_slots(const ElementType& type, std::int64_t offset, bool is_enum, std::vector<Slot>& slots) {
  if (!type.is_record()) {
    slots.push_back({type.scalar, offset, is_enum});
    return;
  }
  is_enum |= type.record->kind == RecordType::Kind::Enum;
  for (const RecordField& field : type.record->fields)
    for (std::int64_t i = 0; i < field.count(); ++i)
      add_slots(field.type, offset + field.offset + i * size_in_bytes(field.type), is_enum, slots);
}

/// Writes one slot of each element of a piece of an array.
template <typename Next>
void write(std::span<std::byte> bytes, std::size_t element_bytes, std::int64_t offset, Next next) {
  for (std::size_t at = static_cast<std::size_t>(offset); at < bytes.size(); at += element_bytes) {
    const auto value = next();
    std::memcpy(&bytes[at], &value, sizeof value);
  }
}

template <typename T>
void write_integers(std::span<std::byte> bytes, std::size_t element_bytes, std::int64_t offset, std::uint64_t end,
                    RandomGenerator& random) {
  end = std::min<std::uint64_t>(end, static_cast<std::uint64_t>(std::numeric_limits<T>::max()));
  write(bytes, element_bytes, offset, [&] { return static_cast<T>(random.next() % end); });
}

void write_slot(std::span<std::byte> bytes, std::size_t element_bytes, const Slot& slot, std::uint64_t end,
                RandomGenerator& random) {
  const auto integers = [&]<typename T>(T) { write_integers<T>(bytes, element_bytes, slot.offset, end, random); };
  // It takes as many random bits as the type holds exactly, so that none is rounded up to 1.
  const auto small_floats = [&]<typename Bits>(Bits, double scale, int shift) {
    write(bytes, element_bytes, slot.offset, [&] {
      return static_cast<Bits>(float_to_bits(slot.type, static_cast<double>(random.next() >> shift) * scale));
    });
  };
  switch (slot.type) {
    case ScalarType::Bool:
      return write(bytes, element_bytes, slot.offset, [&] { return static_cast<std::uint8_t>(random.next() >> 63); });
    case ScalarType::I8:
      return integers(std::int8_t{});
    case ScalarType::I16:
      return integers(std::int16_t{});
    case ScalarType::I32:
      return integers(std::int32_t{});
    case ScalarType::I64:
      return integers(std::int64_t{});
    case ScalarType::U8:
      return integers(std::uint8_t{});
    case ScalarType::U16:
      return integers(std::uint16_t{});
    case ScalarType::U32:
      return integers(std::uint32_t{});
    case ScalarType::U64:
      return integers(std::uint64_t{});
    case ScalarType::F16:
      return small_floats(std::uint16_t{}, 0x1p-11, 53);
    case ScalarType::BF16:
      return small_floats(std::uint16_t{}, 0x1p-8, 56);
    case ScalarType::F8E4M3:
      return small_floats(std::uint8_t{}, 0x1p-4, 60);
    case ScalarType::F8E5M2:
      return small_floats(std::uint8_t{}, 0x1p-3, 61);
    case ScalarType::F32:
      return write(bytes, element_bytes, slot.offset, [&] { return random.uniform_float(); });
    case ScalarType::F64:
      return write(bytes, element_bytes, slot.offset, [&] { return random.uniform(); });
  }
}

}  // namespace

std::vector<Slot> slots_of(const ElementType& type) {
  std::vector<Slot> slots;
  add_slots(type, 0, false, slots);
  return slots;
}

void write_random(std::span<std::byte> elements, const ElementType& type, std::int64_t end, RandomGenerator& random) {
  const auto element_bytes = static_cast<std::size_t>(size_in_bytes(type));
  for (const Slot& slot : slots_of(type))
    if (!slot.is_enum)
      write_slot(elements, element_bytes, slot, static_cast<std::uint64_t>(std::max<std::int64_t>(1, end)), random);
}

}  // namespace pykc::measure
