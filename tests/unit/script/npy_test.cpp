#include "script/values/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

namespace pykc::script {
namespace {

/// A file of version 1.0 with this header's text and these elements.
std::string npy(std::string header, std::string_view elements = {}) {
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  return bytes + header + std::string(elements);
}

std::string error_of(std::string_view bytes) {
  const Outcome<ArrayRef> array = parse_npy(bytes, "a.npy");
  if (array) return "no error";
  EXPECT_EQ(array.failure().id, DiagnosticId::HostBadNpy);
  EXPECT_EQ(array.failure().arguments[0], "a.npy");
  return array.failure().arguments[1];
}

template <typename T>
std::vector<T> elements_of(const ArrayRef& array) {
  const Outcome<ArrayRef> dense = dense_array(array);
  const Outcome<std::byte*> bytes = (*dense)->read();
  std::vector<T> elements(static_cast<std::size_t>(array->size()));
  std::memcpy(elements.data(), *bytes, elements.size() * sizeof(T));
  return elements;
}

ArrayRef counting_array(ScalarType type, const Shape& shape, Order order) {
  const ArrayRef array = *make_array(type, shape, order);
  std::byte* const bytes = *array->write();
  for (std::int64_t i = 0; i < array->size(); ++i) Scalar::of(i % 2, type).store(bytes + i * size_in_bytes(type));
  return array;
}

// What NumPy writes for np.zeros(2, np.dtype([('t', 'i1'), ('x', '>f4'…)])): packed, with gaps named '', nested.
TEST(Npy, RecordsAreLaidOutAsInC) {
  std::string elements;
  for (const char tag : {1, 2}) {
    const float x[2] = {1.5F, -2.0F};
    const double y = 0.25 * tag;
    elements += tag;
    elements.append(reinterpret_cast<const char*>(x), sizeof x);
    elements += '\x05';  // a bool that is not 1
    elements.append(reinterpret_cast<const char*>(&y), sizeof y);
    elements += "gap";
  }
  const Outcome<ArrayRef> array =
      parse_npy(npy("{'descr': [('t', '|i1'), ('x', '<f4', (2,)), ('in', [('b', '|b1'), ('y', '<f8')]), ('', '|V3')], "
                    "'fortran_order': False, 'shape': (2,), }",
                    elements),
                "a.npy");
  ASSERT_TRUE(array) << array.failure().arguments[1];
  const RecordType& type = *(*array)->record;
  EXPECT_EQ(type.bytes, 32);
  EXPECT_EQ(type.find("x")->offset, 4);
  EXPECT_EQ(type.find("in")->offset, 16);
  const std::byte* bytes = *(*array)->read();
  EXPECT_EQ(static_cast<int>(bytes[32]), 2);
  float x = 0;
  std::memcpy(&x, bytes + 32 + 8, sizeof x);
  EXPECT_EQ(x, -2.0F);
  EXPECT_EQ(static_cast<int>(bytes[16]), 1);
  double y = 0;
  std::memcpy(&y, bytes + 32 + 24, sizeof y);
  EXPECT_EQ(y, 0.5);

  const Outcome<std::string> written = format_npy(*array);
  ASSERT_TRUE(written);
  EXPECT_NE(written->find("[('t', '|i1'), ('', '|V3'), ('x', '<f4', (2,)), ('', '|V4'), ('in', [('b', '|b1'), ('', "
                          "'|V7'), ('y', '<f8')])]"),
            std::string::npos)
      << *written;
  EXPECT_EQ((*parse_npy(*written, "a.npy"))->record, (*array)->record);
}

TEST(Npy, Text) {
  const std::string elements("ab\0x\0\0\0e\0\0\0", 11);
  const Outcome<ArrayRef> array = parse_npy(
      npy("{'descr': [('s', '|S3'), ('u', '<U2')], 'fortran_order': False, 'shape': (1,), }", elements), "a.npy");
  ASSERT_TRUE(array);
  EXPECT_EQ((*array)->record->find("s")->type.record, text_type(ScalarType::U8, 3));
  EXPECT_EQ((*array)->record->find("u")->type.record, text_type(ScalarType::U32, 2));
  EXPECT_EQ((*array)->record->find("u")->offset, 4);
  EXPECT_NE(format_npy(*array)->find("[('s', '|S3'), ('', '|V1'), ('u', '<U2')]"), std::string::npos);
}

TEST(Npy, ComplexNumbers) {
  const float number[2] = {1.0F, -2.0F};
  const std::string elements(reinterpret_cast<const char*>(number), sizeof number);
  const Outcome<ArrayRef> array =
      parse_npy(npy("{'descr': '<c8', 'fortran_order': True, 'shape': (1, 1), }", elements), "a.npy");
  ASSERT_TRUE(array);
  EXPECT_EQ((*array)->record, complex_type(ScalarType::F32));
  EXPECT_NE(format_npy(*array)->find("'<c8'"), std::string::npos);
}

TEST(Npy, WrongRecords) {
  const auto error = [](const std::string& descr) {
    return error_of(npy("{'descr': " + descr + ", 'fortran_order': False, 'shape': (1,), }", "12345678"));
  };
  EXPECT_EQ(error("[]"), "its records have no fields");
  EXPECT_EQ(error("[('x', '<f4'), ('x', '<f4')]"), "a record has the field 'x' twice");
  EXPECT_EQ(error("[('x', '>f4')]"), "the bytes of its numbers are in the other order");
  EXPECT_EQ(error("[('x', '<M8[D]')]"), "its elements are of the type '<M8[D]', which pykc does not have");
  EXPECT_EQ(error("[('x', '<f4', (0,))]"), "a field has no possible shape");
  EXPECT_EQ(error("[('', '|Vx')]"), "a gap in its records is no gap");
  EXPECT_EQ(error("[('x', '<f4', (4096, 4096))]"), "its records are too large");
  std::string deep = "'<f4'";
  for (int i = 0; i < 20; ++i) deep = "[('x', " + deep + ")]";
  EXPECT_EQ(error(deep), "its records are nested too deeply");
}

TEST(Npy, EveryTypeInBothOrdersComesBack) {
  for (int i = 0; i < kScalarTypeCount; ++i) {
    const auto type = static_cast<ScalarType>(i);
    if (info(type).npy.empty()) continue;
    for (const Order order : {Order::RowMajor, Order::ColumnMajor})
      for (const Shape& shape : {Shape{}, Shape{0}, Shape{5}, Shape{2, 3}, Shape{2, 0, 4}, Shape{2, 3, 4}}) {
        const ArrayRef array = counting_array(type, shape, order);
        const Outcome<std::string> bytes = format_npy(array);
        ASSERT_TRUE(bytes);
        const Outcome<ArrayRef> read = parse_npy(*bytes, "a.npy");
        ASSERT_TRUE(read) << read.failure().arguments[1];
        EXPECT_EQ((*read)->type, type);
        EXPECT_EQ((*read)->shape, shape);
        EXPECT_EQ((*read)->is_column_major(), array->is_column_major());
        const Outcome<std::string> again = format_npy(*read);
        EXPECT_EQ(*again, *bytes);
      }
  }
}

TEST(Npy, BytesAreThoseThatNumPyWrites) {
  const ArrayRef array = *make_array(ScalarType::I16, {2, 3}, Order::RowMajor, Scalar::of(258, ScalarType::I16));
  std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 3), }";
  header.resize(117, ' ');
  std::string elements;
  for (int i = 0; i < 6; ++i) elements += "\x02\x01";
  EXPECT_EQ(*format_npy(array), npy(header, elements));
}

TEST(Npy, OneByteTypesHaveNoByteOrder) {
  const ArrayRef array = *make_array(ScalarType::U8, {1}, Order::RowMajor, Scalar::of(7, ScalarType::U8));
  EXPECT_NE(format_npy(array)->find("'|u1'"), std::string::npos);
}

TEST(Npy, StridedArraysAreWrittenDense) {
  const ArrayRef array = counting_array(ScalarType::I32, {2, 3}, Order::RowMajor);
  const ArrayRef column = with_shape(*array, {2}, {3}, 1);
  const Outcome<ArrayRef> read = parse_npy(*format_npy(column), "a.npy");
  EXPECT_EQ(elements_of<std::int32_t>(*read), (std::vector<std::int32_t>{1, 0}));
}

TEST(Npy, BigEndianIsTurnedRound) {
  const Outcome<ArrayRef> array = parse_npy(
      npy("{'descr': '>i4', 'fortran_order': False, 'shape': (2,), }", std::string_view("\0\0\1\2\0\0\0\3", 8)),
      "a.npy");
  EXPECT_EQ(elements_of<std::int32_t>(*array), (std::vector<std::int32_t>{258, 3}));
}

TEST(Npy, OtherSpellingsOfTheHeaderAreRead) {
  for (const char* header : {
           "{'descr': '=u1', 'fortran_order': False, 'shape': (2,)}",
           "{\"shape\":(2,),\"fortran_order\":False,\"descr\":\"u1\"}",
           "  {'descr': '|u1','fortran_order' :False , 'shape':( 2 , ) , }   ",
           "{'descr': '<u1', 'fortran_order': False, 'shape': (2L,), }",
       }) {
    const Outcome<ArrayRef> array = parse_npy(npy(header, "\x05\x06"), "a.npy");
    ASSERT_TRUE(array) << header << ": " << array.failure().arguments[1];
    EXPECT_EQ(elements_of<std::uint8_t>(*array), (std::vector<std::uint8_t>{5, 6}));
  }
}

TEST(Npy, VersionsTwoAndThreeHaveALongerLength) {
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (), }\n";
  for (const char version : {'\x02', '\x03'}) {
    std::string bytes = "\x93NUMPY";
    bytes += {version, '\x00', static_cast<char>(header.size()), '\x00', '\x00', '\x00'};
    const Outcome<ArrayRef> array = parse_npy(bytes + header + "\x09", "a.npy");
    ASSERT_TRUE(array);
    EXPECT_EQ(elements_of<std::uint8_t>(*array), std::vector<std::uint8_t>{9});
  }
}

TEST(Npy, BoolsAreMadeZeroOrOne) {
  const Outcome<ArrayRef> array = parse_npy(
      npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }", std::string_view("\0\1\7", 3)), "a.npy");
  EXPECT_EQ(elements_of<std::uint8_t>(*array), (std::vector<std::uint8_t>{0, 1, 1}));
}

TEST(Npy, WhatIsNoNpyFileIsRefused) {
  EXPECT_EQ(error_of(""), "it is empty");
  EXPECT_EQ(error_of("hello"), "it does not begin with NumPy's magic word");
  EXPECT_EQ(error_of("PK\3\4 and more"), "it is an archive (.npz); save its arrays one by one");
  EXPECT_EQ(error_of("\x93NUMPY"), "it ends within the header");
  EXPECT_EQ(error_of(std::string_view("\x93NUMPY\x01\0\x10", 9)), "it ends within the header");
  EXPECT_EQ(error_of(std::string_view("\x93NUMPY\x01\0\x10\0{", 11)), "it ends within the header");
  EXPECT_EQ(error_of(std::string_view("\x93NUMPY\x02\0\x10\0", 10)), "it ends within the header");
  EXPECT_EQ(error_of(std::string_view("\x93NUMPY\x09\0\x10\0{", 11)), "its format version is 9; pykc reads 1 to 3");
  EXPECT_EQ(error_of(std::string_view("\x93NUMPY\x02\0\xff\xff\xff\xff{", 13)), "its header is too long");
}

TEST(Npy, BrokenHeadersAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "its header lacks a `{`"},
      {"[]", "its header lacks a `{`"},
      {"{", "its header lacks a string"},
      {"{}", "its header lacks 'descr', 'fortran_order' or 'shape'"},
      {"{'descr': '<f4'}", "its header lacks 'descr', 'fortran_order' or 'shape'"},
      {"{'descr'", "its header lacks a `:`"},
      {"{'descr", "a string of its header does not end"},
      {"{'descr': 4}", "its header lacks a string"},
      {"{'color': 'red'}", "its header has the key 'color' that no .npy file has"},
      {"{'descr': '<f4', 'descr': '<f4'}", "its header has the key 'descr' twice"},
      {"{'descr': '<f4' 'fortran_order': False}", "its header lacks a `,`"},
      {"{'descr': '<f4', 'fortran_order': Maybe}", "'fortran_order' is neither True nor False"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': 3}", "its header lacks a `(`"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "its shape is not a tuple of whole numbers"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}", "its shape lacks a `,`"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1", "its shape lacks a `,`"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
       "an extent of its shape is too large"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} more", "its header goes on after the `}`"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (8388608, 8388608)}",
       "its shape (8388608, 8388608) is not possible"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}",
       "its shape (1, 1, 1, 1, 1, 1, 1, 1, 1) is not possible"},
  };
  for (const auto& [header, message] : cases) EXPECT_EQ(error_of(npy(header)), message) << header;
}

TEST(Npy, ForeignTypesAreRefused) {
  for (const char* type : {"<c4", "|O", "|U5", "|S0", "|S", "<U03", "<f16", "f3", "", "<", "|i4", "<M8[ns]"})
    EXPECT_EQ(error_of(npy("{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': (1,), }")),
              "its elements are of the type '" + std::string(type) + "', which pykc does not have");
}

TEST(Npy, MissingElementsAreRefused) {
  EXPECT_EQ(error_of(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", "1234567")),
            "it is cut short: 12 bytes of elements are announced, 7 are there");
}

TEST(Npy, TypesWithoutANumPyNameAreNotWritten) { EXPECT_FALSE(format_npy(*make_array(ScalarType::BF16, {1}))); }

TEST(Npy, FilesThatCannotBeOpenedSayWhy) {
  const Outcome<ArrayRef> missing = load_npy("no-such-folder/a.npy");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.failure().id, DiagnosticId::HostFileFailed);
  EXPECT_EQ(missing.failure().arguments[1], "No such file or directory");
  EXPECT_EQ(load_npy(".").failure().arguments[1], "it is a folder");
  EXPECT_FALSE(save_npy("no-such-folder/a.npy", *make_array(ScalarType::F32, {1})));
}

TEST(Npy, SavedFilesAreLoaded) {
  const std::string path = std::filesystem::temp_directory_path() / "pykc_npy_test.npy";
  const ArrayRef array = counting_array(ScalarType::F32, {2, 3}, Order::ColumnMajor);
  ASSERT_TRUE(save_npy(path, array));
  const Outcome<ArrayRef> read = load_npy(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(read);
  EXPECT_EQ(elements_of<float>(*read), elements_of<float>(array));
}

}  // namespace
}  // namespace pykc::script
