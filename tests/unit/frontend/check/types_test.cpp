// The rules of types, by table.
#include "frontend/check/types/types.h"

#include <gtest/gtest.h>

#include "checked_text.h"

namespace pykc::checker {
namespace {

std::optional<ScalarType> scalar_named(std::string_view name) {
  for (int i = 0; i < kScalarTypeCount; ++i)
    if (info(static_cast<ScalarType>(i)).spelling == name) return static_cast<ScalarType>(i);
  return std::nullopt;
}

struct Meeting {
  const char *a, *b, *common, *arithmetic;  // "-" for none
};

constexpr Meeting kMeetings[] = {
    {"bool", "bool", "bool", "i32"}, {"bool", "u8", "u8", "i32"},     {"bool", "i64", "i64", "i64"},
    {"bool", "f32", "f32", "f32"},   {"i8", "i8", "i8", "i32"},       {"u8", "u8", "u8", "i32"},
    {"i8", "u8", "i16", "i32"},      {"i16", "u8", "i16", "i32"},     {"u16", "i16", "i32", "i32"},
    {"i32", "i32", "i32", "i32"},    {"i32", "u32", "i64", "i64"},    {"u8", "u32", "u32", "u32"},
    {"i8", "u32", "i64", "i64"},     {"i32", "i64", "i64", "i64"},    {"u32", "i64", "i64", "i64"},
    {"u32", "u64", "u64", "u64"},    {"i64", "u64", "-", "-"},        {"i8", "u64", "-", "-"},
    {"u64", "u64", "u64", "u64"},    {"i64", "f32", "f32", "f32"},    {"u64", "f16", "f16", "f16"},
    {"i32", "f64", "f64", "f64"},    {"f16", "bf16", "f32", "f32"},   {"f16", "f32", "f32", "f32"},
    {"f32", "f64", "f64", "f64"},    {"bf16", "bf16", "bf16", "bf16"}};

std::string text(std::optional<ScalarType> type) { return type ? std::string(to_string(*type)) : "-"; }

TEST(Types, MeetTheSameWayRound) {
  const TypingRules& native = rules_of(Dialect::Native);
  for (const Meeting& row : kMeetings) {
    const ScalarType a = *scalar_named(row.a), b = *scalar_named(row.b);
    EXPECT_EQ(text(native.join(a, b)), row.common) << row.a << ' ' << row.b;
    EXPECT_EQ(text(native.join(b, a)), row.common) << row.b << ' ' << row.a;
    EXPECT_EQ(text(native.arithmetic(a, b)), row.arithmetic) << row.a << ' ' << row.b;
    EXPECT_EQ(text(native.arithmetic(b, a)), row.arithmetic) << row.b << ' ' << row.a;
  }
}

struct NumbaMeeting {
  const char *a, *b, *join, *arithmetic, *remainder, *power;
};

constexpr NumbaMeeting kNumbaMeetings[] = {
    {"bool", "bool", "bool", "i64", "i64", "i64"}, {"bool", "u8", "u8", "i64", "i64", "i64"},
    {"i8", "i8", "i8", "i64", "i64", "i64"},       {"u8", "u8", "u8", "u64", "u64", "u64"},
    {"i8", "u8", "i16", "i64", "i64", "i64"},      {"i32", "i32", "i32", "i64", "i64", "i64"},
    {"u32", "u64", "u64", "u64", "u64", "u64"},    {"i64", "u64", "f64", "i64", "i64", "i64"},
    {"f16", "i8", "f16", "f16", "f32", "f32"},     {"f16", "u8", "f16", "f32", "f32", "f32"},
    {"f16", "i16", "f32", "f32", "f32", "f32"},    {"f16", "i32", "f64", "f64", "f64", "f32"},
    {"f32", "bool", "f32", "f32", "f32", "f32"},   {"f32", "i16", "f32", "f32", "f32", "f32"},
    {"f32", "u8", "f32", "f32", "f32", "f32"},     {"f32", "u16", "f32", "f64", "f64", "f32"},
    {"f32", "i32", "f64", "f64", "f64", "f32"},    {"f32", "i64", "f64", "f64", "f64", "f32"},
    {"f64", "u64", "f64", "f64", "f64", "f64"},    {"f32", "f64", "f64", "f64", "f64", "f64"},
    {"f16", "f16", "f16", "f16", "f32", "f32"},    {"f16", "f32", "f32", "f32", "f32", "f32"}};

TEST(Types, MeetAsInNumba) {
  const TypingRules& numba = rules_of(Dialect::Numba);
  for (const NumbaMeeting& row : kNumbaMeetings) {
    const ScalarType a = *scalar_named(row.a), b = *scalar_named(row.b);
    EXPECT_EQ(text(numba.join(a, b)), row.join) << row.a << ' ' << row.b;
    EXPECT_EQ(text(numba.join(b, a)), row.join) << row.b << ' ' << row.a;
    EXPECT_EQ(text(numba.arithmetic(a, b)), row.arithmetic) << row.a << ' ' << row.b;
    EXPECT_EQ(text(numba.arithmetic(b, a)), row.arithmetic) << row.b << ' ' << row.a;
    EXPECT_EQ(text(numba.remainder(a, b)), row.remainder) << row.a << ' ' << row.b;
    EXPECT_EQ(text(numba.power(a, b)), row.power) << row.a << ' ' << row.b;
  }
}

TEST(Types, LiteralsFit) {
  EXPECT_TRUE(is_wide_enough(255, ScalarType::U8));
  EXPECT_FALSE(is_wide_enough(256, ScalarType::U8));
  EXPECT_FALSE(is_wide_enough(-1, ScalarType::U64));
  EXPECT_TRUE(is_wide_enough(-128, ScalarType::I8));
  EXPECT_FALSE(is_wide_enough(128, ScalarType::I8));
  EXPECT_TRUE(is_wide_enough(Int128{1} << 63, ScalarType::U64));
  EXPECT_EQ(type_of_literal(Int128{1} << 63), ScalarType::U64);
  EXPECT_EQ(type_of_literal(-1), ScalarType::I64);
}

TEST(Types, JoinsOnlyWiden) {
  checked::TypePool types;
  const auto join = [&](InferredType& into, const InferredType& other) {
    return join_into(into, other, rules_of(Dialect::Native), types);
  };
  const auto of = [](ScalarType type) { return InferredType::of(checked::Type::of(type)); };
  InferredType type = InferredType::weak_float();
  EXPECT_TRUE(join(type, of(ScalarType::I64)));
  EXPECT_TRUE(type.weak) << "an integer does not decide a float";
  EXPECT_TRUE(join(type, of(ScalarType::F32)));
  EXPECT_EQ(type.type, checked::Type::of(ScalarType::F32));
  EXPECT_TRUE(join(type, InferredType::weak_float()));
  EXPECT_EQ(type.type, checked::Type::of(ScalarType::F32));
  InferredType signed_type = of(ScalarType::I64);
  EXPECT_FALSE(join(signed_type, of(ScalarType::U64)));
}

TEST(Types, JoinsOfTuplesAndArraysHaveTypesOfTheirOwn) {
  checked::TypePool types;
  const checked::Type f32 = checked::Type::of(ScalarType::F32), f64 = checked::Type::of(ScalarType::F64);
  InferredType pair = InferredType::of(types.tuple({f32, f32}));
  EXPECT_TRUE(join_into(pair, InferredType::of(types.tuple({f64, f32})), rules_of(Dialect::Native), types));
  EXPECT_EQ(pair, InferredType::of(types.tuple({f64, f32})));
  const auto rows = [&](std::int64_t extent) {
    return InferredType::of(types.of(ArrayType{ScalarType::F32, Layout::RowMajor, {extent}}));
  };
  InferredType array = rows(4);
  EXPECT_TRUE(join_into(array, rows(8), rules_of(Dialect::Native), types));
  EXPECT_EQ(array, rows(ArrayType::kDynamic));
}

TEST(Types, AreOnePointerWhereTheySayTheSame) {
  checked::TypePool types;
  const checked::Type i64 = checked::Type::of(ScalarType::I64);
  const ArrayType row{ScalarType::F32, Layout::RowMajor, {ArrayType::kDynamic}};
  EXPECT_EQ(types.of(ScalarType::I64), i64);
  EXPECT_EQ(types.of(row), types.of(row));
  EXPECT_NE(types.of(row), types.of(row, ir::AddressSpace::Shared));
  EXPECT_NE(types.of(row), types.of(ArrayType{ScalarType::F32, Layout::Strided, row.extents}));
  EXPECT_EQ(types.tuple({i64, types.of(row)}), types.tuple({i64, types.of(row)}));
  EXPECT_NE(types.tuple({i64, i64}), types.tuple({i64, i64}, {"x", "y"}));
  EXPECT_NE(types.tuple({}), types.of_static());
  EXPECT_NE(types.of_static(0), types.of_static(1));
  EXPECT_EQ(types.with_elements(types.of_static(1, {i64}), {}), types.of_static(1));
}

TEST(Types, RecordsOfOneNameDiffer) {
  checked::TypePool types;
  const RecordRef narrow = lay_out({"record", RecordType::Kind::Struct, {{"x", ScalarType::F32, {}}}});
  const RecordRef wide = lay_out({"record", RecordType::Kind::Struct, {{"x", ScalarType::F64, {}}}});
  EXPECT_EQ(types.of(narrow), types.of(RecordRef(RecordType(*narrow))));
  EXPECT_NE(types.of(narrow), types.of(wide));
}

TEST(Types, StayWhereTheyAreWhenTheirPoolMoves) {
  checked::TypePool first;
  const checked::Type pair = first.tuple({checked::Type::of(ScalarType::I64), checked::Type::of(ScalarType::F32)});
  checked::TypePool second = std::move(first);
  EXPECT_EQ(checked::to_string(pair), "tuple[i64, f32]");
  EXPECT_EQ(second.tuple(pair->elements), pair);
}

struct Expression {
  const char *source, *type;
};

// With x: f32[:], d: f64[:], h: f16[:], bf: bf16[:], image: u8[:], small: i16[:], count: i32[:], marks: u32[:],
// hashes: u64[:], n: i64, flag: bool.
constexpr Expression kExpressions[] = {
    // Literals take the type of what they meet.
    {"x[i] * 2", "f32"},
    {"x[i] * 2.0", "f32"},
    {"h[i] + 1.5", "f16"},
    {"bf[i] * 2", "bf16"},
    {"d[i] + 1", "f64"},
    {"marks[i] & 0xff", "u32"},
    {"marks[i] - 1", "u32"},
    {"hashes[i] + 1", "u64"},
    {"count[i] + 1", "i32"},
    {"image[i] + 1", "i32"},
    {"image[i] + 300", "i32"},
    {"count[i] + 3000000000", "i64"},
    {"marks[i] * -1", "i64"},
    {"2", "i64"},
    {"2.0", "f64"},
    {"-2", "i64"},
    {"2 + 3.0", "f64"},
    {"7 / 2", "f64"},
    {"0xffffffffffffffff", "u64"},
    {"math.pi", "f64"},
    {"x[i] * math.pi", "f32"},
    {"x[i] * (2 * math.pi) ** 0.5", "f32"},
    {"n * 0.5", "f64"},
    {"x[i] * (n * 0.5)", "f32"},
    {"x[i] * (1 if flag else 2)", "f32"},
    {"count[i] * (1 if flag else 2)", "i32"},
    // Mixed arithmetic.
    {"image[i] + image[i]", "i32"},
    {"small[i] * image[i]", "i32"},
    {"count[i] + marks[i]", "i64"},
    {"count[i] + n", "i64"},
    {"n * x[i]", "f32"},
    {"x[i] + d[i]", "f64"},
    {"h[i] + bf[i]", "f32"},
    {"n + flag", "i64"},
    {"flag + flag", "i32"},
    {"flag & flag", "bool"},
    {"flag | True", "bool"},
    {"flag & 1", "i32"},
    // Division, remainder, power.
    {"n / 2", "f64"},
    {"image[i] / image[i]", "f64"},
    {"x[i] / 2", "f32"},
    {"x[i] / n", "f32"},
    {"count[i] // 2", "i32"},
    {"x[i] // 2", "f32"},
    {"n % 3", "i64"},
    {"x[i] ** 2", "f32"},
    {"x[i] ** 0.5", "f32"},
    {"n ** 2", "i64"},
    {"n ** -1", "f64"},
    {"n ** n", "i64"},
    {"count[i] ** 2", "i32"},
    {"image[i] ** 2", "i32"},
    {"2 ** n", "i64"},
    {"2.0 ** x[i]", "f32"},
    {"n ** 0.5", "f64"},
    {"x[i] ** d[i]", "f64"},
    {"pow(x[i], 3)", "f32"},
    {"2 ** 10", "i64"},
    // Shifts have the type of their left side.
    {"marks[i] << n", "u32"},
    {"image[i] >> 1", "i32"},
    {"1 << count[i]", "i32"},
    {"hashes[i] >> n", "u64"},
    {"1 << n", "i64"},
    // Signs and complements.
    {"-image[i]", "i32"},
    {"~marks[i]", "u32"},
    {"~flag", "bool"},
    {"not n", "bool"},
    {"+small[i]", "i32"},
    {"-x[i]", "f32"},
    // Comparisons and choices.
    {"n < 2", "bool"},
    {"hashes[i] < n", "bool"},
    {"0 < i < n", "bool"},
    {"n in (1, 2)", "bool"},
    {"n or 5", "i64"},
    {"n and x[i]", "f32"},
    {"flag and n > 0", "bool"},
    {"x[i] if flag else 0", "f32"},
    {"n if flag else x[i]", "f32"},
    // Casts.
    {"int(x[i])", "i64"},
    {"float(n)", "f64"},
    {"bool(n)", "bool"},
    {"f32(n)", "f32"},
    {"np.float32(n)", "f32"},
    {"x.dtype(2)", "f32"},
    {"np.uint8(n)", "u8"},
    {"float('inf') * x[i]", "f32"},
    // Functions.
    {"abs(image[i])", "i32"},
    {"abs(x[i])", "f32"},
    {"abs(-3)", "i64"},
    {"min(image[i], image[i])", "u8"},
    {"min(n, 3, count[i])", "i64"},
    {"max(x[i], 0)", "f32"},
    {"max(0, 1)", "i64"},
    {"min((n, 2))", "i64"},
    {"round(x[i])", "i64"},
    {"round(x[i], 2)", "f32"},
    {"round(n)", "i64"},
    {"round(n, 2)", "i64"},
    {"divmod(n, 3)", "tuple[i64, i64]"},
    {"divmod(x[i], 3)", "tuple[f32, f32]"},
    {"math.sqrt(x[i])", "f32"},
    {"math.sqrt(n)", "f64"},
    {"math.sqrt(2.0)", "f64"},
    {"x[i] * math.sqrt(2)", "f32"},
    {"math.pow(x[i], 2)", "f32"},
    {"math.pow(2, 3)", "f64"},
    {"math.sin(h[i])", "f16"},
    {"math.isnan(h[i])", "bool"},
    {"np.exp(x[i])", "f32"},
    {"np.arctan2(x[i], 1)", "f32"},
    {"math.hypot(n, x[i])", "f32"},
    {"math.modf(x[i])", "tuple[f32, f32]"},
    {"math.frexp(d[i])", "tuple[f64, i32]"},
    {"math.ldexp(x[i], 3)", "f32"},
    {"popc(marks[i])", "i32"},
    {"brev(n)", "i64"},
    {"shfl_sync(-1, x[i], 0)", "f32"},
    {"shfl_down_sync(0xffffffff, image[i], 1)", "u8"},
    {"all_sync(-1, n)", "bool"},
    {"selp(flag, x[i], 0)", "f32"},
    {"selp(flag, image[i], image[i])", "u8"},
    {"syncthreads_count(n > 0)", "i32"},
    {"atomic.add(count, i, 1)", "i32"},
    {"atomic.max(x, 0, 1)", "f32"},
    {"atomic.cas(marks, i, 0, 1)", "u32"},
    {"atomic.add(a, (i, 0), 1.5)", "f32"},
    {"cuda.atomic.inc(marks, 0, 7)", "u32"},
    {"atomic.compare_and_swap(count, 0, 1)", "i32"},
    // Places and shapes.
    {"grid(1)", "i64"},
    {"grid(2)", "tuple[i64, i64]"},
    {"gridsize(3)", "tuple[i64, i64, i64]"},
    {"threadIdx.x", "i64"},
    {"cuda.blockDim.z", "i64"},
    {"warpsize", "i64"},
    {"laneid", "i64"},
    {"len(x)", "i64"},
    {"a.shape", "tuple[i64, i64]"},
    {"a.shape[1]", "i64"},
    {"a.size", "i64"},
    {"a.ndim", "i64"},
    {"len((1, 2, 3))", "i64"},
    {"(n, x[i])", "tuple[i64, f32]"},
    {"(n, (x[i], flag))[1][0]", "f32"},
    {"a[i][0]", "f32"},
    {"a[grid(2)]", "f32"}};

TEST(Types, OfExpressions) {
  for (const Expression& row : kExpressions) {
    const std::string tree = tree_of(in_kernel(std::string("v = ") + row.source + "\nprint(v)"));
    EXPECT_NE(tree.find("\n  v: " + std::string(row.type) + " = "), std::string::npos)
        << row.source << " is not " << row.type << ":\n"
        << tree;
  }
}

// The same names, in a module that imports numba.
constexpr Expression kNumbaExpressions[] = {{"2", "i64"},
                                            {"0xffffffffffffffff", "u64"},
                                            {"1 << 63", "u64"},
                                            {"7 / 2", "f64"},
                                            {"x[i] * 2", "f64"},
                                            {"x[i] * 2.0", "f64"},
                                            {"x[i] * np.float32(2.0)", "f32"},
                                            {"x[i] * math.pi", "f64"},
                                            {"h[i] + 1", "f64"},
                                            {"image[i] + 1", "i64"},
                                            {"image[i] + image[i]", "u64"},
                                            {"count[i] + count[i]", "i64"},
                                            {"count[i] + marks[i]", "i64"},
                                            {"hashes[i] + n", "i64"},
                                            {"hashes[i] + 1", "i64"},
                                            {"hashes[i] ^ hashes[i]", "u64"},
                                            {"marks[i] << n", "u64"},
                                            {"1 << count[i]", "i64"},
                                            {"small[i] >> 1", "i64"},
                                            {"-image[i]", "u64"},
                                            {"~small[i]", "i64"},
                                            {"~flag", "bool"},
                                            {"flag + flag", "i64"},
                                            {"flag & flag", "bool"},
                                            {"flag & 1", "i64"},
                                            {"n / 2", "f64"},
                                            {"x[i] / small[i]", "f32"},
                                            {"h[i] / h[i]", "f16"},
                                            {"h[i] // h[i]", "f32"},
                                            {"x[i] ** n", "f32"},
                                            {"x[i] ** 2", "f32"},
                                            {"x[i] ** 0.5", "f64"},
                                            {"n ** -1", "i64"},
                                            {"hashes[i] < n", "bool"},
                                            {"x[i] if flag else 0", "f64"},
                                            {"hashes[i] if flag else n", "f64"},
                                            {"x[i] if flag else small[i]", "f32"},
                                            {"int(x[i])", "i64"},
                                            {"int(small[i])", "i16"},
                                            {"float(x[i])", "f32"},
                                            {"float(n)", "f64"},
                                            {"abs(small[i])", "i16"},
                                            {"min(flag, flag)", "bool"},
                                            {"min(hashes[i], n)", "f64"},
                                            {"max(x[i], 0)", "f64"},
                                            {"round(small[i])", "i64"},
                                            {"math.sqrt(x[i])", "f32"},
                                            {"math.sqrt(count[i])", "f64"},
                                            {"math.hypot(n, x[i])", "f64"},
                                            {"np.add(image[i], image[i])", "u8"},
                                            {"np.multiply(x[i], count[i])", "f32"},
                                            {"np.multiply(x[i], 2.0)", "f64"},
                                            {"np.sin(small[i])", "f32"},
                                            {"grid(1)", "i64"},
                                            {"2j * x[i]", "c128"},
                                            {"(2, x[i])", "tuple[i64, f32]"},
                                            {"warpsize", "i64"}};

TEST(Types, OfExpressionsInNumbasSources) {
  for (const Expression& row : kNumbaExpressions) {
    const std::string tree =
        tree_of("from numba import cuda\n" + in_kernel(std::string("v = ") + row.source + "\nprint(v)"));
    EXPECT_NE(tree.find("\n  v: " + std::string(row.type) + " = "), std::string::npos)
        << row.source << " is not " << row.type << ":\n"
        << tree;
  }
}

}  // namespace
}  // namespace pykc::checker
