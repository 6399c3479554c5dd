# %% [markdown]
# # Batches and pictures
#
# One function for every element, one for every matrix of a batch, one for every pixel and its neighbours: three
# patterns that cover most programs with arrays. In the first two, the threads are pykc's business; the third is a
# kernel.

# %%
import math

import numpy as np
import pykc
from pykc import cuda
from pykc.numba import guvectorize, vectorize

rng = np.random.default_rng(1)

# %% [markdown]
# ## Every element
#
# The price of an option, as Black and Scholes have it: thirty operations for each element, a few numbers in and one
# out. In NumPy each operation is a pass over the arrays. `vectorize` makes one pass of all of them. Several signatures
# make it fit several types; the first one that the arguments can be converted to is taken. A call has a price, too,
# some 50 µs: for a thousand elements NumPy is as fast. `pykc.benchmark` measures calls, the device's share of each by
# events; the warm-up, in which the function is compiled, does not count.


# %%
@cuda.jit(device=True)
def normal_distribution(x):
    return 0.5 * (1 + math.erf(x * math.sqrt(0.5)))


@vectorize(["float64(float64, float64, float64, float64)"], target="cuda")
def price(spot, strike, years, volatility):
    spread = volatility * math.sqrt(years)
    d = math.log(spot / strike) / spread + 0.5 * spread
    return spot * normal_distribution(d) - strike * normal_distribution(d - spread)


def price_by_numpy(spot, strike, years, volatility):
    def normal_distribution(x):  # NumPy has no error function: a series to 1e-7, by Abramowitz and Stegun
        t = 1 / (1 + 0.2316419 * abs(x))
        series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
        tail = series * np.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
        return np.where(x < 0, tail, 1 - tail)

    spread = volatility * np.sqrt(years)
    d = np.log(spot / strike) / spread + 0.5 * spread
    return spot * normal_distribution(d) - strike * normal_distribution(d - spread)


sizes = [10**3, 10**4, 10**5, 10**6]
device_times, host_times = [], []
for n in sizes:
    options = rng.uniform(80, 120, n), rng.uniform(80, 120, n), rng.uniform(0.1, 2, n), rng.uniform(0.1, 0.5, n)
    on_device = [cuda.to_device(one) for one in options]
    prices = cuda.device_array(n)
    took = pykc.benchmark(price, (*on_device,), {"out": prices}, n_repeat=3, n_warmup=1)
    device_times.append(took.gpu_times.min())
    host_times.append(pykc.benchmark(price_by_numpy, options, n_repeat=1, n_warmup=1).cpu_times.min())
    assert np.allclose(prices.copy_to_host(), price_by_numpy(*options), atol=1e-4)
speedups = np.array(host_times) / device_times
print("times as fast as NumPy:", ", ".join(f"{speedup:.1f} for {n:,}" for n, speedup in zip(sizes, speedups)))

# %% tags=["active-ipynb"]
# import matplotlib.pyplot as plt
#
# figure, axes = plt.subplots()
# axes.semilogx(sizes, speedups, "o-")
# axes.set(xlabel="options", ylabel="times as fast as NumPy", ylim=0, title="one pass in place of thirty")
# plt.show()

# %% [markdown]
# ## Every matrix of a batch
#
# `guvectorize` is for functions of whole rows or matrices. The layout says what goes in and comes out of one call,
# `(m,n),(n,p)->(m,p)`; what an array has in front of these dimensions is the batch. The result is an argument.


# %%
@guvectorize(["void(float32[:,:], float32[:,:], float32[:,:])"], "(m,n),(n,p)->(m,p)", target="cuda")
def products(a, b, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            total = np.float32(0)
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total


a, b = rng.random((1000, 2, 4), np.float32), rng.random((1000, 4, 5), np.float32)
assert products(a, b).shape == (1000, 2, 5)
assert np.allclose(products(a, b), a @ b, rtol=1e-5)
assert np.allclose(products(a, b[0]), a @ b[0], rtol=1e-5)  # one matrix for the whole batch

# %% [markdown]
# ## Every pixel and its neighbours
#
# A **convolution** replaces each pixel by a weighted mean of its neighbours; the weights decide whether that blurs,
# sharpens or finds edges. The picture first, made by a ufunc: how fast `z² + c` grows.


# %%
@vectorize(["float32(float32, float32)"], target="cuda")
def growth(real, imaginary):
    x, y = np.float32(0), np.float32(0)
    for step in range(60):
        x, y = x * x - y * y + real, 2 * x * y + imaginary
        if x * x + y * y > 4:
            return np.float32(step)
    return np.float32(0)


height, width = 256, 384
picture = growth(np.linspace(-2, 0.6, width, dtype=np.float32), np.linspace(-1, 1, height, dtype=np.float32)[:, None])
picture /= picture.max()


# %%
@cuda.jit
def convolve(out, picture, weights):
    x, y = cuda.grid(2)
    if x < out.shape[1] and y < out.shape[0]:
        radius = weights.shape[0] // 2
        total = np.float32(0)
        for j in range(-radius, radius + 1):
            for i in range(-radius, radius + 1):
                row = min(max(y + j, 0), picture.shape[0] - 1)  # beyond the edge, the pixel at the edge
                column = min(max(x + i, 0), picture.shape[1] - 1)
                total += weights[radius - j, radius - i] * picture[row, column]
        out[y, x] = total


BLOCK = 16, 16
BLOCKS = -(-width // 16), -(-height // 16)
device_picture = cuda.to_device(picture)


def convolved(weights):
    out = cuda.device_array_like(device_picture)
    convolve[BLOCKS, BLOCK](out, device_picture, weights)
    return out.copy_to_host()


def bell(radius):
    """Weights that blur: a bell of that radius, which sums to 1."""
    x = np.linspace(-2, 2, 2 * radius + 1)
    weights = np.exp(-x * x - (x * x)[:, None])
    return (weights / weights.sum()).astype(np.float32)


edges = np.array([[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]], np.float32)
blurred, outlined = convolved(bell(4)), convolved(edges)
assert np.isclose(blurred.mean(), picture.mean(), rtol=0.02)
inner = sum(edges[1 - j, 1 - i] * picture[1 + j:height - 1 + j, 1 + i:width - 1 + i]
            for j in (-1, 0, 1) for i in (-1, 0, 1))
assert np.allclose(outlined[1:-1, 1:-1], inner, atol=1e-5)

# %% tags=["active-ipynb"]
# figure, all_axes = plt.subplots(1, 3, figsize=(12, 3))
# for axes, image, title in zip(all_axes, (picture, blurred, abs(outlined)), ("picture", "blurred", "edges")):
#     axes.imshow(image, cmap="magma")
#     axes.set_title(title)
#     axes.axis("off")
# plt.show()

# %% [markdown]
# ## The same by Fourier transforms
#
# A convolution is a multiplication of spectra. NumPy transforms, a ufunc of complex numbers multiplies in place on the
# device. The direct way costs as much as there are weights, this one the same for all of them; so there is a size from
# which on it is faster.


# %%
@vectorize(["complex64(complex64, complex64)"], target="cuda")
def multiply(a, b):
    return a * b


def convolved_by_spectra(weights):
    radius = weights.shape[0] // 2
    padded = np.pad(picture, radius, mode="edge")
    spectrum = cuda.to_device(np.fft.rfft2(padded).astype(np.complex64))
    filter_spectrum = cuda.to_device(np.fft.rfft2(weights, padded.shape).astype(np.complex64))
    multiply(spectrum, filter_spectrum, out=spectrum)
    return np.fft.irfft2(spectrum.copy_to_host(), padded.shape)[2 * radius:, 2 * radius:]


radii = [1, 2, 4, 8, 12]
direct, by_spectra = [], []
for radius in radii:
    weights = bell(radius)
    assert np.allclose(convolved(weights), convolved_by_spectra(weights), atol=1e-4)
    for times, way in ((direct, convolved), (by_spectra, convolved_by_spectra)):
        times.append(1000 * pykc.benchmark(way, (weights,), n_repeat=2, n_warmup=1).gpu_times.min())
print("direct:     ", ", ".join(f"{one:.2f}" for one in direct), "ms")
print("by spectra: ", ", ".join(f"{one:.2f}" for one in by_spectra), "ms")

# %% tags=["active-ipynb"]
# figure, axes = plt.subplots()
# axes.plot([2 * radius + 1 for radius in radii], direct, "o-", label="direct, a kernel")
# axes.plot([2 * radius + 1 for radius in radii], by_spectra, "o-", label="by Fourier transforms")
# axes.set(xlabel="rows and columns of weights", ylabel="milliseconds", title=f"a picture of {width} x {height}")
# axes.legend()
# plt.show()

# %% [markdown]
# ## Exercises
#
# 1. Give `price` a second signature, for `float32`. How much faster is it, and how far are the prices off?
# 2. A bell is a product of a row and a column. Blur in two passes of `2 r + 1` weights in place of one of `(2 r +
#    1)²`.
# 3. Let a block fetch its pixels, and those around them, into shared memory before it convolves.
# 4. Write the transform itself as kernels, for a power of two, and keep everything on the device.
