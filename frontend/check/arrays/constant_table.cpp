#include "frontend/check/arrays/constant_table.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace pykc::checker {

std::int64_t count_elements(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

Extents dense_strides(const Extents& extents) {
  Extents strides(extents.size());
  std::int64_t step = 1;
  for (std::size_t i = extents.size(); i-- > 0; step *= extents[i]) strides[i] = step;
  return strides;
}

Table gathered(const Table& table, Extents extents, const Extents& strides, std::int64_t offset) {
  const auto bytes = static_cast<std::size_t>(size_in_bytes(table.type.element));
  Table result;
  result.type = {table.type.element, Layout::RowMajor, {}};
  const std::function<void(std::size_t, std::int64_t)> append = [&](std::size_t dimension, std::int64_t at) {
    if (dimension == extents.size()) {
      result.bytes.append(table.bytes, static_cast<std::size_t>(at) * bytes, bytes);
      return;
    }
    for (std::int64_t i = 0; i < extents[dimension]; ++i) append(dimension + 1, at + i * strides[dimension]);
  };
  append(0, offset);
  result.type.extents = std::move(extents);
  return result;
}

Table with_extents(Table table, Extents extents) {
  table.name.clear();
  table.type.extents = std::move(extents);
  return table;
}

Table field_of(const Table& table, const RecordField& field) {
  const std::int64_t bytes = size_in_bytes(table.type.element), wanted = field.count() * size_in_bytes(field.type);
  Table result;
  result.type = {field.type, Layout::RowMajor, table.type.extents};
  result.type.extents.insert(result.type.extents.end(), field.extents.begin(), field.extents.end());
  for (std::int64_t i = 0; i < count_elements(table.type.extents); ++i)
    result.bytes.append(table.bytes, static_cast<std::size_t>(i * bytes + field.offset),
                        static_cast<std::size_t>(wanted));
  return result;
}

std::optional<Extents> broadcast(const Extents& a, const Extents& b) {
  const Extents &longer = a.size() < b.size() ? b : a, &shorter = a.size() < b.size() ? a : b;
  Extents result = longer;
  const std::size_t before = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& extent = result[before + i];
    if (extent != shorter[i] && extent != 1 && shorter[i] != 1) return std::nullopt;
    if (extent == 1) extent = shorter[i];
  }
  return result;
}

Table repeated(const Table& table, const Extents& extents) {
  if (table.type.extents == extents) return table;
  const Extents dense = dense_strides(table.type.extents);
  const std::size_t before = extents.size() - dense.size();
  Extents strides(extents.size(), 0);
  for (std::size_t i = 0; i < dense.size(); ++i)
    if (table.type.extents[i] != 1) strides[before + i] = dense[i];
  return gathered(table, extents, strides, 0);
}

}  // namespace pykc::checker
