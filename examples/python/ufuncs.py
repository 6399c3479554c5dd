"""Functions of arrays, as a first lesson in Numba has them: python -m pykc examples/python/ufuncs.py

Written for Numba and unchanged: `jit` compiles for the CPU, `vectorize` and `guvectorize` make functions of whole arrays
that run on the device, and device arrays stay there between two of them."""

import math

import numpy as np
from numba import cuda, float32, guvectorize, jit, vectorize


@jit
def hypotenuse(x, y):
    x, y = abs(x), abs(y)
    t = min(x, y) / max(x, y)
    return max(x, y) * math.sqrt(1 + t * t)


@vectorize(["int64(int64, int64)"], target="cuda")
def add(x, y):
    return x + y


@cuda.jit(device=True)
def polar_to_cartesian(rho, theta):
    return rho * math.cos(theta), rho * math.sin(theta)


@vectorize(["float32(float32, float32, float32, float32)"], target="cuda")
def polar_distance(rho1, theta1, rho2, theta2):
    x1, y1 = polar_to_cartesian(rho1, theta1)
    x2, y2 = polar_to_cartesian(rho2, theta2)
    return ((x1 - x2) ** 2 + (y1 - y2) ** 2) ** 0.5


@vectorize([float32(float32, float32, float32)], target="cuda")
def gaussian(x, mean, sigma):
    return math.exp(-0.5 * ((x - mean) / sigma) ** 2) / (sigma * np.float32(math.sqrt(2 * math.pi)))


@guvectorize(["void(float32[:], float32[:])"], "(n)->()", target="cuda")
def l2_norm(vector, out):
    total = np.float32(0)
    for value in vector:
        total += value ** 2
    out[0] = math.sqrt(total)


def main():
    assert hypotenuse(3.0, 4.0) == hypotenuse.py_func(3.0, 4.0) == 5.0
    column, row = np.arange(4 * 4).reshape(4, 4), np.array([10, 20, 30, 40])
    assert (add(column, row) == column + row).all()

    rng = np.random.default_rng(1)
    n = 10_000
    rho1, rho2 = rng.uniform(0.5, 1.5, (2, n)).astype(np.float32)
    theta1, theta2 = rng.uniform(-np.pi, np.pi, (2, n)).astype(np.float32)
    wanted = np.hypot(rho1 * np.cos(theta1) - rho2 * np.cos(theta2), rho1 * np.sin(theta1) - rho2 * np.sin(theta2))
    assert np.allclose(polar_distance(rho1, theta1, rho2, theta2), wanted, rtol=1e-4, atol=1e-5)

    x = cuda.to_device(rng.uniform(-3, 3, n).astype(np.float32))
    density = cuda.device_array(n, np.float32)  # it stays on the device
    gaussian(x, np.float32(0), np.float32(1), out=density)
    host = x.copy_to_host()
    assert np.allclose(density.copy_to_host(), np.exp(-0.5 * host ** 2) / np.sqrt(2 * np.pi), rtol=1e-5)

    vectors = rng.random((100, 32), np.float32)
    assert np.allclose(l2_norm(vectors), np.linalg.norm(vectors, axis=1), rtol=1e-5)
    print("hypotenuse, sums, distances, densities and norms are what NumPy says")


if __name__ == "__main__":
    main()
