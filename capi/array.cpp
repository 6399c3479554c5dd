// Arrays, whose elements have a type at run time.
#include "capi/handles.h"

using namespace pykc::capi;
using pykc::Result;

namespace {

using Shape = std::span<const std::int64_t>;

Result<pykc::ElementType> element_type(std::int32_t type) {
  if (type == PYKC_C64) return pykc::ElementType(complex_type(pykc::ScalarType::F32));
  if (type == PYKC_C128) return pykc::ElementType(complex_type(pykc::ScalarType::F64));
  if (is_valid(scalar_type(type))) return pykc::ElementType(scalar_type(type));
  if (type == PYKC_RECORD)
    return pykc::invalid_argument("an array of records is one of bytes at first: see pykc_array_as_parameter");
  return pykc::invalid_argument("there is no type " + std::to_string(type));
}

Result<Shape> shape_of(std::int32_t rank, const std::int64_t* extents) {
  if (rank < 0 || rank > pykc::kMaxRank)
    return pykc::invalid_argument("an array has 0 to 8 axes, not " + std::to_string(rank));
  if (rank > 0 && extents == nullptr) return pykc::invalid_argument("the shape is NULL");
  return Shape(extents, static_cast<std::size_t>(rank));
}

/// An array whose memory `allocate` gives, as a Buffer, for so many bytes.
template <typename Allocate>
Result<pykc_array> dense_array(std::int32_t type, std::int32_t rank, const std::int64_t* extents, Allocate allocate) {
  ASSIGN_OR_RETURN(const pykc::ElementType element, element_type(type));
  ASSIGN_OR_RETURN(const Shape shape, shape_of(rank, extents));
  ASSIGN_OR_RETURN(const pykc::detail::DenseMemory dense,
                   pykc::detail::dense_memory(shape, pykc::Layout::RowMajor, size_in_bytes(element)));
  ASSIGN_OR_RETURN(pykc_array array, allocate(dense.bytes));
  array.element = element;
  array.mapping = dense.mapping;
  return array;
}

/// A buffer of the device; of the CPU device, the host reaches it.
pykc_array in_buffer(pykc::Buffer buffer, bool on_cpu) {
  pykc_array array;
  if (on_cpu) array.on_host = static_cast<std::byte*>(pykc::detail::address_of(buffer));
  array.buffer = std::move(buffer);
  return array;
}

Result<pykc_array> allocate_on_device(const pykc::Device& device, std::int64_t bytes) {
  ASSIGN_OR_RETURN(pykc::Buffer buffer, device.allocate_bytes(bytes));
  return in_buffer(std::move(buffer), device.is_cpu());
}

Result<pykc_array> allocate_in(const pykc::Device& device, std::int32_t memory, std::int64_t bytes) {
  if (memory == PYKC_DEVICE) return allocate_on_device(device, bytes);
  if (memory != PYKC_MANAGED && memory != PYKC_MAPPED)
    return pykc::invalid_argument("there is no kind of memory " + std::to_string(memory));
  ASSIGN_OR_RETURN(const pykc::UnifiedArray<std::uint8_t> unified, memory == PYKC_MANAGED
                                                                       ? device.allocate_managed<std::uint8_t>({bytes})
                                                                       : device.allocate_mapped<std::uint8_t>({bytes}));
  pykc_array array = in_buffer(unified.buffer(), false);
  array.on_host = reinterpret_cast<std::byte*>(unified.span().data());
  return array;
}

Result<pykc_array> allocate(const pykc_device* device, std::int32_t type, std::int32_t rank,
                            const std::int64_t* extents) {
  return dense_array(type, rank, extents, [&](std::int64_t bytes) { return allocate_on_device(device->value, bytes); });
}

/// Calls the function when it goes, once it is armed.
struct Release {
  ~Release() {
    if (is_armed && function != nullptr) function(context);
  }
  void (*function)(void*) = nullptr;
  void* context = nullptr;
  bool is_armed = false;
};

Result<void> check_bytes(const pykc_array& array, std::size_t bytes) {
  const std::int64_t own = array.mapping.size() * array.element_bytes();
  if (static_cast<std::int64_t>(bytes) == own) return {};
  return pykc::invalid_argument("the array has " + std::to_string(own) + " bytes, and the host " +
                                std::to_string(bytes));
}

/// The array's elements one after the other, in row-major order.
Result<pykc::Mapping> dense_mapping(const pykc_array& array) { return pykc::Mapping::dense(array.mapping.shape()); }

const pykc::Stream* stream_of(const pykc_stream* stream) { return stream == nullptr ? nullptr : &stream->value; }

}  // namespace

extern "C" {

pykc_error* pykc_array_allocate(const pykc_device* device, int32_t type, int32_t rank, const int64_t* shape,
                                pykc_array** array) {
  return pykc_array_allocate_in(device, PYKC_DEVICE, type, rank, shape, array);
}

pykc_error* pykc_array_allocate_in(const pykc_device* device, int32_t memory, int32_t type, int32_t rank,
                                   const int64_t* shape, pykc_array** array) {
  const auto allocate = [&](std::int64_t bytes) { return allocate_in(device->value, memory, bytes); };
  return make(
      array, [&] { return dense_array(type, rank, shape, allocate); }, device);
}

pykc_error* pykc_array_allocate_on(const pykc_stream* stream, int32_t type, int32_t rank, const int64_t* shape,
                                   pykc_array** array) {
  const auto allocate = [&](std::int64_t bytes) -> Result<pykc_array> {
    ASSIGN_OR_RETURN(pykc::Buffer buffer, stream->value.allocate_bytes(bytes));
    return in_buffer(std::move(buffer), false);
  };
  return make(
      array, [&] { return dense_array(type, rank, shape, allocate); }, stream);
}

pykc_error* pykc_array_zeros(const pykc_device* device, int32_t type, int32_t rank, const int64_t* shape,
                             pykc_array** array) {
  return make(
      array,
      [&]() -> Result<pykc_array> {
        ASSIGN_OR_RETURN(pykc_array made, allocate(device, type, rank, shape));
        RETURN_IF_FAILED(made.elements().fill_zero(nullptr));
        return made;
      },
      device);
}

pykc_error* pykc_array_from_host(const pykc_device* device, int32_t type, int32_t rank, const int64_t* shape,
                                 const void* elements, pykc_array** array) {
  return make(
      array,
      [&]() -> Result<pykc_array> {
        ASSIGN_OR_RETURN(pykc_array made, allocate(device, type, rank, shape));
        if (elements == nullptr && made.mapping.size() > 0) return pykc::invalid_argument("the elements are NULL");
        RETURN_IF_FAILED(made.elements().copy_from_host(elements, made.mapping, nullptr));
        return made;
      },
      device);
}

pykc_error* pykc_array_wrap(const pykc_device* device, int32_t type, int32_t rank, const int64_t* shape,
                            const int64_t* strides, void* first, void (*release)(void* context), void* context,
                            pykc_array** array) {
  return guarded(
      [&]() -> Result<void> {
        ASSIGN_OR_RETURN(const pykc::ElementType element, element_type(type));
        ASSIGN_OR_RETURN(const Shape extents, shape_of(rank, shape));
        ASSIGN_OR_RETURN(const pykc::Mapping mapping,
                         strides == nullptr ? pykc::Mapping::dense(extents)
                                            : pykc::Mapping::strided(extents, Shape(strides, extents.size())));
        const auto owner = std::make_shared<Release>();
        owner->function = release;
        owner->context = context;
        ASSIGN_OR_RETURN(pykc::detail::WrappedElements wrapped,
                         pykc::detail::wrap_elements(device->value, first, mapping, size_in_bytes(element),
                                                     alignment_of(element), owner));
        pykc_array made = in_buffer(std::move(wrapped.buffer), device->value.is_cpu());
        made.element = element;
        made.mapping = wrapped.mapping;
        *array = new pykc_array(std::move(made));
        owner->is_armed = true;
        return {};
      },
      device, array);
}

pykc_error* pykc_array_view(const pykc_array* array, int32_t rank, const int64_t* shape, const int64_t* strides,
                            int64_t offset, pykc_array** view) {
  return make(
      view,
      [&]() -> Result<pykc_array> {
        ASSIGN_OR_RETURN(const Shape extents, shape_of(rank, shape));
        ASSIGN_OR_RETURN(const Shape steps, shape_of(rank, strides));
        std::int64_t start = 0;
        if (__builtin_add_overflow(array->mapping.offset(), offset, &start))
          return pykc::invalid_argument("no memory has an offset of " + std::to_string(offset) + " elements");
        pykc_array made = *array;
        ASSIGN_OR_RETURN(made.mapping, pykc::Mapping::strided(extents, steps, start));
        RETURN_IF_FAILED(made.elements().check(alignment_of(made.element)));
        return made;
      },
      array);
}

pykc_error* pykc_array_as_parameter(const pykc_array* bytes, const pykc_kernel_info* info, size_t parameter,
                                    pykc_array** records) {
  return make(
      records,
      [&]() -> Result<pykc_array> {
        if (parameter >= info->types.size() || !info->info->parameters[parameter].is_array)
          return pykc::invalid_argument("kernel `" + info->info->name + "` takes no array as parameter " +
                                        std::to_string(parameter));
        pykc_array made = *bytes;
        made.element = info->info->parameters[parameter].array.element;
        const std::int64_t size = made.element_bytes();
        const Shape shape = bytes->mapping.shape();
        if (bytes->element_bytes() != 1 || shape.empty() || !bytes->mapping.is_contiguous() ||
            shape.back() % size != 0 || bytes->mapping.offset() % size != 0)
          return pykc::invalid_argument("elements of " + std::to_string(size) +
                                        " bytes are made of a dense array of bytes, whose last extent is a multiple");
        std::vector<std::int64_t> extents(shape.begin(), shape.end());
        extents.back() /= size;
        ASSIGN_OR_RETURN(const pykc::Mapping dense, pykc::Mapping::dense(extents));
        ASSIGN_OR_RETURN(made.mapping,
                         pykc::Mapping::strided(dense.shape(), dense.strides(), bytes->mapping.offset() / size));
        RETURN_IF_FAILED(made.elements().check(alignment_of(made.element)));
        return made;
      },
      bytes, info);
}

void pykc_array_free(pykc_array* array) { delete array; }

int32_t pykc_array_type(const pykc_array* array) { return type_code(array->element); }
int64_t pykc_array_element_bytes(const pykc_array* array) { return array->element_bytes(); }
int32_t pykc_array_rank(const pykc_array* array) { return array->mapping.rank(); }
const int64_t* pykc_array_shape(const pykc_array* array) { return array->mapping.shape().data(); }
const int64_t* pykc_array_strides(const pykc_array* array) { return array->mapping.strides().data(); }
int64_t pykc_array_size(const pykc_array* array) { return array->mapping.size(); }

void* pykc_array_address(const pykc_array* array) {
  (void)array->buffer.address();  // who has it may write there
  return array->first();
}

void* pykc_array_host_address(const pykc_array* array) {
  (void)array->buffer.address();  // the host may write there
  return array->on_host == nullptr ? nullptr : array->on_host + array->mapping.offset() * array->element_bytes();
}

pykc_error* pykc_array_copy_from_host(const pykc_array* array, const pykc_stream* stream, const void* elements,
                                      size_t byte_count) {
  return guarded(
      [&]() -> Result<void> {
        RETURN_IF_FAILED(check_bytes(*array, byte_count));
        if (elements == nullptr && byte_count > 0) return pykc::invalid_argument("the elements are NULL");
        ASSIGN_OR_RETURN(const pykc::Mapping dense, dense_mapping(*array));
        return array->elements().copy_from_host(elements, dense, stream_of(stream));
      },
      array);
}

pykc_error* pykc_array_copy_to_host(const pykc_array* array, const pykc_stream* stream, void* elements,
                                    size_t byte_count) {
  return guarded(
      [&]() -> Result<void> {
        RETURN_IF_FAILED(check_bytes(*array, byte_count));
        if (elements == nullptr && byte_count > 0) return pykc::invalid_argument("the elements are NULL");
        ASSIGN_OR_RETURN(const pykc::Mapping dense, dense_mapping(*array));
        return array->elements().copy_to_host(elements, dense, stream_of(stream));
      },
      array);
}

pykc_error* pykc_array_copy(const pykc_array* target, const pykc_stream* stream, const pykc_array* source) {
  return guarded(
      [&]() -> Result<void> {
        if (target->element != source->element)
          return pykc::invalid_argument("elements of " + to_string(source->element) + " are copied to " +
                                        to_string(target->element));
        return target->elements().copy_from(source->elements(), stream_of(stream));
      },
      target, source);
}

pykc_error* pykc_array_fill_zero(const pykc_array* array, const pykc_stream* stream) {
  return guarded([&] { return array->elements().fill_zero(stream_of(stream)); }, array);
}

pykc_error* pykc_array_fill(const pykc_array* array, const pykc_stream* stream, const void* element) {
  return guarded([&] { return array->elements().fill(element, stream_of(stream)); }, array,
                 static_cast<const char*>(element));
}

pykc_error* pykc_pinned_allocate(const pykc_device* device, size_t byte_count, pykc_pinned** memory) {
  return make(
      memory, [&] { return device->value.allocate_pinned_bytes(static_cast<std::int64_t>(byte_count)); }, device);
}

void* pykc_pinned_data(const pykc_pinned* memory) { return memory->memory.get(); }
void pykc_pinned_free(pykc_pinned* memory) { delete memory; }

}  // extern "C"
