// Arrays from and to NumPy's .npy files.
//
//   pykc::Array<float> x = pykc::load_npy<float>(device, "x.npy").value();
//   pykc::save_npy("turned.npy", x.transpose()).value();
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "pykc/array.h"
#include "pykc/device.h"
#include "pykc/error.h"
#include "pykc/types.h"

namespace [[gnu::visibility("default")]] pykc {

namespace detail {

/// What a file holds.
struct NpyElements {
  std::vector<std::int64_t> shape;
  Layout order = Layout::RowMajor;        // or ColumnMajor
  std::unique_ptr<std::byte[]> elements;  // one after the other, in that order
};
/// Elements of the type wanted.
Result<NpyElements> load_npy(const std::string& path, const ElementType& wanted);
Result<void> save_npy(const std::string& path, const ElementType& type, std::span<const std::int64_t> shape,
                      Layout order, std::span<const std::byte> elements);

template <typename T>
ElementType npy_type() {
  if constexpr (std::is_same_v<T, std::complex<float>>)
    return complex_type(ScalarType::F32);
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return complex_type(ScalarType::F64);
  else
    return element_type<T>();
}

}  // namespace detail

/// The array in a file, on the device, in the file's memory order. T must be the file's type; both byte orders are
/// read.
template <typename T>
Result<Array<T>> load_npy(const Device& device, const std::string& path) {
  const Result<detail::NpyElements> file = detail::load_npy(path, detail::npy_type<T>());
  if (!file) return file.error();
  const Result<Array<T>> array = device.allocate<T>(file->shape, file->order);
  if (!array) return array;
  const std::span<const T> elements(reinterpret_cast<const T*>(file->elements.get()),
                                    static_cast<std::size_t>(array->size()));
  const Array<T> as_stored = file->order == Layout::ColumnMajor ? array->transpose() : *array;
  if (Result<void> copied = as_stored.copy_from(elements); !copied) return copied.error();
  return array;
}

/// Waits for the elements and writes them: in column-major order where the array lies so, else in row-major.
template <typename T>
Result<void> save_npy(const std::string& path, const Array<T>& array) {
  const Layout order = array.mapping().order();
  const auto count = static_cast<std::size_t>(array.size());
  const std::unique_ptr<T[]> memory(new (std::nothrow) T[count]);
  if (memory == nullptr) return Error{ErrorCode::OutOfMemory, "out of memory"};
  const std::span<T> elements(memory.get(), count);
  if (Result<void> copied = (order == Layout::ColumnMajor ? array.transpose() : array).copy_to(elements); !copied)
    return copied;
  return detail::save_npy(path, detail::npy_type<T>(), array.shape(), order, std::as_bytes(elements));
}

}  // namespace pykc
