"""The works by Numba's `prange`, as one writes them for a CPU."""
import math

import numba
import numpy as np
from numba import njit, prange

from peers import (BODIES, HEIGHT, MATRIX, POINTS, RATE, ROWS, SAMPLES, SIDE, STEPS, VOLATILITY, WIDTH)

fast = njit(parallel=True, fastmath=True)
exact = njit(parallel=True)
f32 = np.float32


@fast
def multiply(c, a, b):
    n = c.shape[0]
    for i in prange(n):
        c[i, :] = f32(0)
        for k in range(n):
            factor = a[i, k]
            for j in range(n):
                c[i, j] += factor * b[k, j]


@fast
def add_up(out, x):
    total = f32(0)
    for i in prange(len(x)):
        total += x[i]
    out[0] = total


@exact
def transpose(out, x):
    n = out.shape[0]
    for block in prange((n // 32) * (n // 32)):
        i, j = block // (n // 32) * 32, block % (n // 32) * 32
        for row in range(j, j + 32):
            for column in range(i, i + 32):
                out[row, column] = x[column, row]


@exact
def count(counts, values, threads):
    own = np.zeros((threads, 256), np.int32)
    part = len(values) // threads
    for thread in prange(threads):
        last = len(values) if thread == threads - 1 else (thread + 1) * part
        for i in range(thread * part, last):
            own[thread, values[i]] += 1
    counts[:] = own.sum(axis=0)


@njit(fastmath=True)
def normal_distribution(d):
    k = f32(1) / (f32(1) + f32(0.2316419) * abs(d))
    polynomial = k * (f32(0.31938153) + k * (f32(-0.356563782) + k * (f32(1.781477937) + k * (
        f32(-1.821255978) + k * f32(1.330274429)))))
    tail = f32(0.39894228) * math.exp(f32(-0.5) * d * d) * polynomial
    return f32(1) - tail if d > f32(0) else tail


@fast
def price_options(call, put, price, strike, years):
    for i in prange(len(call)):
        deviation = VOLATILITY * math.sqrt(years[i])
        d1 = (math.log(price[i] / strike[i]) + (RATE + f32(0.5) * VOLATILITY * VOLATILITY) * years[i]) / deviation
        p1 = normal_distribution(d1)
        p2 = normal_distribution(d1 - deviation)
        discounted = strike[i] * math.exp(-RATE * years[i])
        call[i] = price[i] * p1 - discounted * p2
        put[i] = discounted * (f32(1) - p2) - price[i] * (f32(1) - p1)


@exact
def mandelbrot(out):
    for y in prange(out.shape[0]):
        ci = f32(y) * (f32(2) / f32(out.shape[0])) - f32(1)
        for x in range(out.shape[1]):
            cr = f32(x) * (f32(3) / f32(out.shape[1])) - f32(2)
            zr, zi, n = f32(0), f32(0), 0
            while n < STEPS and zr * zr + zi * zi <= f32(4):
                zr, zi = zr * zr - zi * zi + cr, f32(2) * zr * zi + ci
                n += 1
            out[y, x] = n


@fast
def scaled_sum(z, x, y, a):
    for i in prange(len(z)):
        z[i] = a * x[i] + y[i]


@fast
def smooth(out, a):
    for y in prange(1, a.shape[0] - 1):
        for x in range(1, a.shape[1] - 1):
            out[y, x] = f32(0.2) * (a[y, x] + a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1])


@fast
def find_forces(out, x, y, z, mass):
    for i in prange(len(x)):
        ax, ay, az = f32(0), f32(0), f32(0)
        for j in range(len(x)):
            dx, dy, dz = x[j] - x[i], y[j] - y[i], z[j] - z[i]
            square = dx * dx + dy * dy + dz * dz + f32(0.01)
            factor = mass[j] / (square * math.sqrt(square))
            ax += factor * dx
            ay += factor * dy
            az += factor * dz
        out[0, i], out[1, i], out[2, i] = ax, ay, az


@fast
def multiply_sparse(y, values, columns, starts, x):
    for row in prange(len(y)):
        total = f32(0)
        for k in range(starts[row], starts[row + 1]):
            total += values[k] * x[columns[k]]
        y[row] = total


@fast
def convolve(out, x, weights):
    for i in prange(len(out)):
        total = f32(0)
        for j in range(len(weights)):
            total += weights[j] * x[i + j]
        out[i] = total


@fast
def find_nearest(label, points, centers):
    for i in prange(len(label)):
        best, which = f32(3e38), 0
        for c in range(centers.shape[1]):
            dx, dy = points[0, i] - centers[0, c], points[1, i] - centers[1, c]
            distance = dx * dx + dy * dy
            if distance < best:
                best, which = distance, c
        label[i] = which


def make(inputs, threads):
    numba.set_num_threads(threads)

    def floats(*shape):
        return np.zeros(shape, np.float32)

    def work(function, *arguments):
        return lambda: function(*arguments), lambda: arguments[0]

    counts, steps, label = np.zeros(256, np.int32), np.zeros((HEIGHT, WIDTH), np.int32), np.zeros(POINTS, np.int32)
    call, put = floats(len(inputs.price)), floats(len(inputs.price))
    return f"Numba {numba.__version__}, prange with fastmath where it helps, {threads} threads", [
        work(multiply, floats(MATRIX, MATRIX), inputs.a, inputs.b),
        work(add_up, floats(1), inputs.numbers),
        work(transpose, floats(SIDE, SIDE), inputs.square),
        work(count, counts, inputs.bytes, threads),
        work(price_options, call, put, inputs.price, inputs.strike, inputs.years),
        work(mandelbrot, steps),
        work(scaled_sum, floats(SIDE * SIDE), inputs.numbers, inputs.others, f32(0.5)),
        work(smooth, floats(SIDE, SIDE), inputs.square),
        work(find_forces, floats(3, BODIES), *inputs.bodies),
        work(multiply_sparse, floats(ROWS), inputs.numbers, inputs.columns, inputs.starts, inputs.others),
        work(convolve, floats(SAMPLES), inputs.numbers, inputs.weights),
        work(find_nearest, label, inputs.points, inputs.centers),
    ]
