"""The product of matrices in Triton, by descriptors, as its tutorials write it."""
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def product(c, a, b, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, TRANSPOSED: tl.constexpr,
            BAND: tl.constexpr):
    rows, columns = tl.cdiv(m, M), tl.cdiv(n, N)
    tile = tl.program_id(0)
    first = tile // (BAND * columns) * BAND
    height = min(rows - first, BAND)
    row = (first + tile % (BAND * columns) % height) * M
    column = tile % (BAND * columns) // height * N
    total = tl.zeros((M, N), tl.float32)
    for step in range(tl.cdiv(k, K)):
        x = a.load([row, step * K])
        if TRANSPOSED:
            total = tl.dot(x, b.load([column, step * K]).T, total)
        else:
            total = tl.dot(x, b.load([step * K, column]), total)
    c.store([row, column], total.to(c.dtype))


def launch(c, a, b, transposed: bool):
    """A function that launches it, for 16 bits."""
    (m, k), n = a.shape, c.shape[1]
    M, N, K = 128, 256, 64
    arrays = (TensorDescriptor.from_tensor(c, [M, N]), TensorDescriptor.from_tensor(a, [M, K]),
              TensorDescriptor.from_tensor(b, [N, K] if transposed else [K, N]))
    grid = (triton.cdiv(m, M) * triton.cdiv(n, N),)
    return lambda: product[grid](*arrays, m, n, k, M, N, K, transposed, 8, num_warps=8, num_stages=3)
