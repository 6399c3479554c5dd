"""What .pyk kernels have of the library and of blocks that wait for one another, in Python by the same words."""
import numpy as np
import pytest

import pykc
from pykc import cuda
from pykc.cluster import barrier_arrive_at, barrier_wait_for_cluster
from pykc.mma import ldmatrix, mma, mma_sp
from pykc.packed import add2, fma2
from pykc.tile import barrier_expect, barrier_init, barrier_wait, barriers_ready, swizzled, tma_load


@pykc.kernel(cluster=2)
def exchange(out, x):
    part = pykc.shared.array(32, pykc.f32)
    ready = pykc.shared.array((1, 2), pykc.u64)
    t = pykc.threadIdx.x
    if t == 0:
        barrier_init(ready, 0, 1)
        barriers_ready()
    part[t] = x[pykc.grid(1)]
    pykc.cluster_arrive()
    pykc.cluster_wait()
    other = 1 - pykc.cluster_ctarank()
    if t == 0:
        barrier_arrive_at(ready, 0, other)
    barrier_wait_for_cluster(ready, 0, 0)
    out[pykc.grid(1)] = pykc.map_shared_rank(part, other)[31 - t]
    pykc.cluster_sync()


def test_clusters():
    x = np.arange(128, dtype=np.float32)
    out = np.zeros_like(x)
    exchange[4, 32](out, x)
    assert np.array_equal(out, x.reshape(2, 2, 32)[:, ::-1, ::-1].ravel())


@cuda.jit(cluster=(2, 1))
def ranks(out):
    out[cuda.blockIdx.x, cuda.blockIdx.y] = 10 * cuda.cluster_ctarank() + cuda.cluster_nctarank()


def test_clusters_under_jit():
    out = np.zeros((4, 3), np.int64)
    ranks[(4, 3), 32](out)
    assert np.array_equal(out, np.tile([[2], [12]], (2, 3)))
    with pytest.raises(pykc.LaunchError, match=r"no multiple of its clusters of \(2, 1, 1\)"):
        ranks[3, 32](out)


@pykc.kernel
def product(out: pykc.f32[:, :], a: pykc.f16[:, :], b: pykc.f16[:, :], metadata: pykc.u32[:], HALF: pykc.constexpr):
    """`a` is 16 x 16, or what is kept of 16 x 32; `b` has as many rows."""
    tile_a = pykc.shared.array((16, 16), pykc.f16, alignment=16)
    lane = pykc.threadIdx.x
    for i in range(lane, 256, 32):
        tile_a[i // 16, i % 16] = a[i // 16, i % 16]
    pykc.syncwarp()
    left = ldmatrix(tile_a, lane % 16 * 16 + lane // 16 * 8, 4)
    room = pykc.local.array(8 if HALF else 4, pykc.f16)
    for i in range(len(room)):
        room[i] = b[i // 2 * 8 + lane % 4 * 2 + i % 2, lane // 4]
    right = tuple(room.view(pykc.u32))
    if HALF:
        c = mma_sp((0.0, 0.0, 0.0, 0.0), left, right, metadata[lane], pykc.f16)
    else:
        c = mma((0.0, 0.0, 0.0, 0.0), left, right, pykc.f16)
    for i in pykc.unroll(range(4)):
        out[lane // 4 + i // 2 * 8, lane % 4 * 2 + i % 2] = c[i]


def test_matrices():
    generator = np.random.default_rng(5)
    a = generator.integers(-4, 5, (16, 16)).astype(np.float16)
    b = generator.integers(-4, 5, (32, 8)).astype(np.float16)
    metadata = np.full(32, 0xEEEEEEEE, np.uint32)  # the last two of each four
    out = np.zeros((16, 8), np.float32)
    product[1, 32](out, a, b, metadata, False)
    assert np.array_equal(out, a.astype(np.float32) @ b[:16])
    whole = np.zeros((16, 8, 4), np.float32)
    whole[:, :, 2:] = a.reshape(16, 8, 2)
    product[1, 32](out, a, b, metadata, True)
    assert np.array_equal(out, whole.reshape(16, 32) @ b)


@pykc.kernel
def copy_box(out: pykc.f32[:, :], a: pykc.f32[:, :]):
    tile = pykc.shared.array((8, 32), pykc.f32, alignment=1024)
    ready = pykc.shared.array((1, 2), pykc.u64)
    t = pykc.threadIdx.x
    if t == 0:
        barrier_init(ready, 0, 1)
        barriers_ready()
    pykc.syncthreads()
    if t == 0:
        barrier_expect(ready, 0, tile.nbytes)
        tma_load(tile, a, 3, 4, ready, 0)
    barrier_wait(ready, 0, 0)
    for row in range(8):
        out[row, t] = tile[row, swizzled(tile, row, t)]


def test_tiles():
    a = np.arange(20 * 40, dtype=np.float32).reshape(20, 40)
    out = np.zeros((8, 32), np.float32)
    copy_box[1, 32](out, a)
    assert np.array_equal(out, a[3:11, 4:36])


@pykc.kernel
def pairs(out, x):
    i = pykc.threadIdx.x
    y = pykc.f16x2(x[i], x[i] + pykc.f16(1))
    z = fma2(y, y, add2(y, pykc.f16x2(1, 2)))
    w = add2(pykc.bf16x2(z.x, z.y), pykc.bf16x2(1, 1))
    v = add2(pykc.f32x2(w.x, w.y), pykc.f32x2(0.5, 0.25))
    out[i, 0] = v.x
    out[i, 1] = v.y


def test_vectors_of_all_numbers():
    x = np.arange(4, dtype=np.float16)
    out = np.zeros((4, 2))
    pairs[1, 4](out, x)
    y = np.stack([x, x + 1], 1).astype(np.float64)
    assert np.array_equal(out, y * y + y + [1, 2] + 1 + [0.5, 0.25])
    halves = np.zeros(3, pykc.f16x2)
    assert halves.dtype == cuda.float16x2.dtype and halves.dtype["y"] == np.float16 and pykc.f16x2.alignment == 4


@pykc.kernel
def twice(out: pykc.f16x2[:], x: pykc.f16x2[:]):
    i = pykc.threadIdx.x
    out[i] = add2(x[i], x[i])


def test_arrays_of_pairs():
    x, out = np.zeros(3, pykc.f16x2), np.zeros(3, pykc.f16x2)
    x["x"], x["y"] = [1, 2, 3], [0.5, -1, 0.25]
    twice[1, 3](out, x)
    assert out["x"].tolist() == [2, 4, 6] and out["y"].tolist() == [1, -2, 0.5]


@pykc.kernel
def count_on(out, x):
    pykc.grid_dependency_wait()
    out[pykc.grid(1)] = x[pykc.grid(1)] + 1
    pykc.grid_dependency_launch()


def test_grids_that_begin_early():
    x, y = pykc.arange(256), pykc.zeros(256, "int64")
    for _ in range(10):
        count_on[4, 64](y, x)
        count_on[4, 64](x, y)
    assert np.array_equal(x.get(), np.arange(256) + 20)
