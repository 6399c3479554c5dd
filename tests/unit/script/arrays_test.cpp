// Operations on arrays; the expected texts are NumPy's own.
#include <gtest/gtest.h>

#include "host.h"

namespace pykc::script {
namespace {

TEST(Arrays, Creation) {
  expect_printed({
      {"np.full(3, 7), np.full((2, 2), 1.5), np.eye(2), np.arange(2, 10, 3), np.arange(0, 1, 0.25), np.arange(5, 0, "
       "-2)",
       "[7 7 7] [[1.5 1.5]\n [1.5 1.5]] [[1. 0.]\n [0. 1.]] [2 5 8] [0.   0.25 0.5  0.75] [5 3 1]"},
      {"np.linspace(0, 1, 3), np.linspace(0, 1, 1), np.linspace(0, 1, 4, endpoint=False)",
       "[0.  0.5 1. ] [0.] [0.   0.25 0.5  0.75]"},
      {"np.array([1, 2.5]), np.array([True, 2]), np.array([[1], [2]]), np.array([])", "[1.  2.5] [1 2] [[1]\n [2]] []"},
      {"np.zeros_like(np.arange(3)), np.ones_like(np.arange(2.0)), np.full_like(np.arange(2), 9)",
       "[0 0 0] [1. 1.] [9 9]"},
      {"np.zeros((2, 3)).strides, np.zeros((2, 3), order=\"F\").strides, np.asfortranarray(np.zeros((2, 3))).strides",
       "(24, 8) (8, 16) (8, 16)"},
  });
}

TEST(Arrays, Attributes) {
  expect_printed({
      {"np.zeros((2, 3)).shape, np.zeros((2, 3)).ndim, np.zeros((2, 3)).size, np.zeros((2, 3), np.float32).nbytes, "
       "np.zeros((2, 3)).T.shape",
       "(2, 3) 2 6 24 (3, 2)"},
      {"len(np.zeros((4, 2)))", "4"},
  });
}

TEST(Arrays, Arithmetic) {
  expect_printed({
      {"np.arange(5) + 1, np.arange(5) * 2.5, np.arange(5) / 2, np.arange(5) ** 2",
       "[1 2 3 4 5] [ 0.   2.5  5.   7.5 10. ] [0.  0.5 1.  1.5 2. ] [ 0  1  4  9 16]"},
      {"np.arange(-5, 5) // 3, np.arange(-5, 5) % 3", "[-2 -2 -1 -1 -1  0  0  0  1  1] [1 2 0 1 2 0 1 2 0 1]"},
      {"np.array([7, -7]) // np.array([0, 2]), np.array([7, -7]) % np.array([0, 2]), np.array([1.0, -1.0]) / 0",
       "[ 0 -4] [0 1] [ inf -inf]"},
      {"-np.arange(3), ~np.arange(3), np.arange(4) << 2, np.arange(8) >> 1, np.arange(4) & 1",
       "[ 0 -1 -2] [-1 -2 -3] [ 0  4  8 12] [0 0 1 1 2 2 3 3] [0 1 0 1]"},
      {"np.array([200], dtype=np.uint8) + np.array([100], dtype=np.uint8)", "[44]"},
      {"2 ** np.arange(4), np.array([1.0, 4.0]) ** -1, np.arange(4, dtype=np.float32) ** 0.5",
       "[1 2 4 8] [1.   0.25] [0.        1.        1.4142135 1.7320508]"},
  });
}

TEST(Arrays, Comparison) {
  expect_printed({
      {"np.arange(5) > 2, (np.arange(5) > 2) & (np.arange(5) < 4)",
       "[False False False  True  True] [False False False  True False]"},
      {"np.array([1, 2], dtype=np.uint8) == 300, np.array([1, 2], np.uint8) < 1000, np.array([1, 2], np.uint8) > -1",
       "[False False] [ True  True] [ True  True]"},
      {"np.allclose(np.ones(3), np.ones(3) + 1e-9), np.allclose(np.ones(3), np.ones(3) + 1e-3), "
       "np.array_equal(np.arange(3), np.arange(3)), np.array_equal(np.arange(3), np.arange(4))",
       "True False True False"},
      {"np.allclose(np.array([np.nan]), np.array([np.nan])), np.allclose(np.array([np.inf]), np.array([np.inf])), "
       "np.allclose(np.array([np.inf]), np.array([1.0]))",
       "False True False"},
  });
}

TEST(Arrays, SharedMemory) {
  expect_printed({
      {"np.shares_memory(np.zeros(3), np.zeros(3)), [np.shares_memory(x, y) for x in [np.arange(12)] for y in [x, "
       "x[3:], x[:0], x.reshape(3, 4).T]]",
       "False [True, True, False, True]"},
      {"[(np.shares_memory(x[:, :4], x[:, 4:]), np.shares_memory(x[:, :5], x[:, 4:]), "
       "np.shares_memory(x[:2], x[2:]), np.shares_memory(x[::2], x[1::2]), np.shares_memory(x[:, ::-2], x[:, ::2]), "
       "np.shares_memory(x[::-1, 1], x[:, 1])) for x in [np.zeros((6, 8))]]",
       "[(False, True, False, False, False, True)]"},
      {"[(np.shares_memory(x.view(np.uint8)[4:7], x[1:]), np.shares_memory(x.view(np.uint8)[1:4], x[1:])) "
       "for x in [np.zeros(4, np.float32)]]",
       "[(True, False)]"},
  });
}

TEST(Arrays, Broadcasting) {
  expect_printed({
      {"np.arange(6).reshape(2, 3) + np.arange(3)", "[[0 2 4]\n [3 5 7]]"},
      {"np.arange(6).reshape(2, 3) * np.array([[1], [10]])", "[[ 0  1  2]\n [30 40 50]]"},
      {"np.arange(3)[:, None] + np.arange(2)", "[[0 1]\n [1 2]\n [2 3]]"},
  });
}

TEST(Arrays, ResultTypes) {
  expect_printed({
      {"(np.arange(3, dtype=np.int32) + np.arange(3, dtype=np.uint32)).dtype == np.int64", "True"},
      {"(np.arange(3, dtype=np.int8) + 1).dtype == np.int8", "True"},
      {"(np.arange(3, dtype=np.float32) + 1.0).dtype == np.float32", "True"},
      {"(np.arange(3, dtype=np.int32) + 1.0).dtype == np.float64", "True"},
      {"(np.arange(3, dtype=np.float32) + np.float64(1)).dtype == np.float64", "True"},
      {"(np.arange(3, dtype=np.int64) + np.arange(3, dtype=np.uint64)).dtype == np.float64", "True"},
      {"(np.arange(3, dtype=np.int16) * np.float32(2)).dtype == np.float32", "True"},
      {"np.sqrt(np.int8(4)).dtype == np.float16", "True"},
      {"np.arange(3, dtype=np.float32).sum().dtype == np.float32", "True"},
      {"np.ones(3, np.int8).sum().dtype == np.int64", "True"},
      {"np.zeros(3, 'int8').dtype == np.int8", "True"},
      {"np.zeros(3, 'i8').dtype", "E0410"},  // eight bytes in NumPy, eight bits here
      {"np.ones(3, np.uint8).sum().dtype == np.uint64", "True"},
  });
}

TEST(Arrays, BasicIndexing) {
  expect_printed({
      {"np.arange(10)[3], np.arange(10)[-1], np.arange(10)[2:5], np.arange(10)[::-1], np.arange(10)[::3], "
       "np.arange(10)[8:2:-2], np.arange(10)[20:], np.arange(10)[-3:-1]",
       "3 9 [2 3 4] [9 8 7 6 5 4 3 2 1 0] [0 3 6 9] [8 6 4] [] [7 8]"},
      {"np.arange(12).reshape(3, 4)[1], np.arange(12).reshape(3, 4)[:, 1], np.arange(12).reshape(3, 4)[1:, ::2]",
       "[4 5 6 7] [1 5 9] [[ 4  6]\n [ 8 10]]"},
      {"np.arange(12).reshape(3, 4)[..., 0], np.arange(12).reshape(3, 4)[2, 3], np.arange(3)[None, :].shape",
       "[0 4 8] 11 (1, 3)"},
  });
}

TEST(Arrays, SelectionByArrays) {
  expect_printed({
      {"np.array([5, 6, 7])[np.array([True, False, True])], np.array([5, 6, 7])[np.array([2, 0, -1])]",
       "[5 7] [7 5 7]"},
      {"np.arange(6).reshape(3, 2)[np.array([2, 0])]", "[[4 5]\n [0 1]]"},
      {"np.arange(6).reshape(2, 3)[np.arange(6).reshape(2, 3) > 2]", "[3 4 5]"},
  });
}

TEST(Arrays, Shapes) {
  expect_printed({
      {"np.arange(12).reshape(3, 4).T", "[[ 0  4  8]\n [ 1  5  9]\n [ 2  6 10]\n [ 3  7 11]]"},
      {"np.arange(12).reshape(3, 4).T.reshape(2, 6)", "[[ 0  4  8  1  5  9]\n [ 2  6 10  3  7 11]]"},
      {"np.arange(8).reshape(2, -1), np.arange(6).reshape(2, 3).ravel()", "[[0 1 2 3]\n [4 5 6 7]] [0 1 2 3 4 5]"},
      {"np.transpose(np.arange(6).reshape(1, 2, 3), (2, 0, 1)).shape", "(3, 1, 2)"},
      {"np.concatenate((np.arange(3), np.arange(2))), np.concatenate((np.zeros((1, 2)), np.ones((1, 2))))",
       "[0 1 2 0 1] [[0. 0.]\n [1. 1.]]"},
      {"np.broadcast_to(np.arange(3), (2, 3))", "[[0 1 2]\n [0 1 2]]"},
      {"np.array([[1, 2], [3, 4]]).tolist(), np.array(5).item()", "[[1, 2], [3, 4]] 5"},
  });
}

TEST(Arrays, Reductions) {
  expect_printed({
      {"np.arange(12).reshape(3, 4).sum(), np.arange(12).reshape(3, 4).sum(axis=0), np.arange(12).reshape(3, "
       "4).sum(axis=1), np.arange(12).reshape(3, 4).sum(axis=(0, 1))",
       "66 [12 15 18 21] [ 6 22 38] 66"},
      {"np.arange(12).reshape(3, 4).mean(axis=-1), np.arange(12).reshape(3, 4).max(axis=0), np.arange(12).reshape(3, "
       "4).argmin(axis=1)",
       "[1.5 5.5 9.5] [ 8  9 10 11] [0 0 0]"},
      {"np.arange(12).reshape(3, 4).sum(axis=1, keepdims=True)", "[[ 6]\n [22]\n [38]]"},
      {"np.arange(12).std(), np.arange(12).var(ddof=1), np.arange(12).argmax(), np.arange(1, 5).prod()",
       "3.452052529534663 13.0 11 24"},
      {"np.any(np.arange(3) > 1), np.all(np.arange(3) > 1), np.count_nonzero(np.arange(5)), np.zeros(0).sum()",
       "True False 4 0.0"},
      {"np.array([1.0, np.nan]).max(), np.array([1.0, np.nan]).argmax()", "nan 1"},
      {"np.linalg.norm(np.arange(3)), np.linalg.norm(np.arange(6).reshape(2, 3), axis=1)",
       "2.23606797749979 [2.23606798 7.07106781]"},
  });
}

TEST(Arrays, CumulativeAndSorted) {
  expect_printed({
      {"np.cumsum(np.arange(5)), np.arange(6).reshape(2, 3).cumsum(axis=0), np.arange(6).reshape(2, 3).cumsum(axis=1)",
       "[ 0  1  3  6 10] [[0 1 2]\n [3 5 7]] [[ 0  1  3]\n [ 3  7 12]]"},
      {"np.sort(np.array([3, 1, 2])), np.sort(np.array([np.nan, 1.0, -1.0])), np.bincount(np.array([0, 1, 1, 3]))",
       "[1 2 3] [-1.  1. nan] [1 2 0 1]"},
  });
}

TEST(Arrays, Products) {
  expect_printed({
      {"np.dot(np.arange(3), np.arange(3)), np.arange(6).reshape(2, 3) @ np.arange(6).reshape(3, 2), "
       "np.arange(6).reshape(2, 3) @ np.arange(3), np.arange(3.0) @ np.arange(3.0)",
       "5 [[10 13]\n [28 40]] [ 5 14] 5.0"},
  });
}

TEST(Arrays, ElementwiseFunctions) {
  expect_printed({
      {"np.sqrt(np.arange(5)), np.abs(np.array([-1, 2])), np.minimum(np.arange(4), 2), np.maximum(np.array([1.0, "
       "np.nan]), 0)",
       "[0.         1.         1.41421356 1.73205081 2.        ] [1 2] [0 1 2 2] [ 1. nan]"},
      {"np.where(np.arange(4) > 1, np.arange(4), -1), np.clip(np.arange(5), 1, 3), np.sign(np.array([-2.5, 0, 3]))",
       "[-1 -1  2  3] [1 1 2 3 3] [-1.  0.  1.]"},
      {"np.isnan(np.array([1.0, np.nan])), np.isfinite(np.array([1.0, np.inf])), np.hypot(3.0, 4.0), "
       "np.floor(np.array([-1.5, 1.5]))",
       "[False  True] [ True False] 5.0 [-2.  1.]"},
  });
}

TEST(Arrays, Conversion) {
  expect_printed({
      {"np.array([1.5, -1.5, 2.7]).astype(np.int32), np.array([0, 1, 2]).astype(np.bool_), "
       "np.array([300]).astype(np.uint8)",
       "[ 1 -1  2] [False  True  True] [44]"},
      {"np.float32(3), np.int32(3.7), np.round(np.array([1.234, 2.5]), 1)", "3.0 3 [1.2 2.5]"},
  });
}

}  // namespace
}  // namespace pykc::script
