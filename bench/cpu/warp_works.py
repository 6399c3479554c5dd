"""The works by Warp's CPU device, a thread for each element."""
import numpy as np
import warp as wp

from peers import BODIES, HEIGHT, MATRIX, POINTS, RATE, ROWS, SAMPLES, SIDE, STEPS, VOLATILITY, WIDTH

Floats, Matrix, Integers = wp.array(dtype=wp.float32), wp.array2d(dtype=wp.float32), wp.array(dtype=wp.int32)


@wp.kernel
def multiply(c: Matrix, a: Matrix, b: Matrix):
    i, j = wp.tid()
    total = float(0.0)
    for k in range(a.shape[1]):
        total += a[i, k] * b[k, j]
    c[i, j] = total


@wp.kernel
def transpose(out: Matrix, x: Matrix):
    i, j = wp.tid()
    out[i, j] = x[j, i]


@wp.kernel
def count(counts: Integers, values: wp.array(dtype=wp.uint8)):
    wp.atomic_add(counts, int(values[wp.tid()]), 1)


@wp.func
def normal_distribution(d: float):
    k = 1.0 / (1.0 + 0.2316419 * wp.abs(d))
    polynomial = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.39894228 * wp.exp(-0.5 * d * d) * polynomial
    return wp.where(d > 0.0, 1.0 - tail, tail)


@wp.kernel
def price_options(call: Floats, put: Floats, price: Floats, strike: Floats, years: Floats, rate: float,
                  volatility: float):
    i = wp.tid()
    deviation = volatility * wp.sqrt(years[i])
    d1 = (wp.log(price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / deviation
    p1 = normal_distribution(d1)
    p2 = normal_distribution(d1 - deviation)
    discounted = strike[i] * wp.exp(-rate * years[i])
    call[i] = price[i] * p1 - discounted * p2
    put[i] = discounted * (1.0 - p2) - price[i] * (1.0 - p1)


@wp.kernel
def mandelbrot(out: wp.array2d(dtype=wp.int32), limit: int):
    y, x = wp.tid()
    cr = float(x) * (3.0 / float(out.shape[1])) - 2.0
    ci = float(y) * (2.0 / float(out.shape[0])) - 1.0
    zr = float(0.0)
    zi = float(0.0)
    n = int(0)
    while n < limit and zr * zr + zi * zi <= 4.0:
        following = zr * zr - zi * zi + cr
        zi = 2.0 * zr * zi + ci
        zr = following
        n += 1
    out[y, x] = n


@wp.kernel
def scaled_sum(z: Floats, x: Floats, y: Floats, a: float):
    i = wp.tid()
    z[i] = a * x[i] + y[i]


@wp.kernel
def smooth(out: Matrix, a: Matrix):
    y, x = wp.tid()
    if x > 0 and y > 0 and x < a.shape[1] - 1 and y < a.shape[0] - 1:
        out[y, x] = 0.2 * (a[y, x] + a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1])


@wp.kernel
def find_forces(out: Matrix, bodies: Matrix):
    i = wp.tid()
    ax = float(0.0)
    ay = float(0.0)
    az = float(0.0)
    for j in range(bodies.shape[1]):
        dx = bodies[0, j] - bodies[0, i]
        dy = bodies[1, j] - bodies[1, i]
        dz = bodies[2, j] - bodies[2, i]
        square = dx * dx + dy * dy + dz * dz + 0.01
        factor = bodies[3, j] / (square * wp.sqrt(square))
        ax += factor * dx
        ay += factor * dy
        az += factor * dz
    out[0, i] = ax
    out[1, i] = ay
    out[2, i] = az


@wp.kernel
def multiply_sparse(y: Floats, values: Floats, columns: Integers, starts: Integers, x: Floats):
    row = wp.tid()
    total = float(0.0)
    for k in range(starts[row], starts[row + 1]):
        total += values[k] * x[columns[k]]
    y[row] = total


@wp.kernel
def convolve(out: Floats, x: Floats, weights: Floats):
    i = wp.tid()
    total = float(0.0)
    for j in range(weights.shape[0]):
        total += weights[j] * x[i + j]
    out[i] = total


@wp.kernel
def find_nearest(label: Integers, points: Matrix, centers: Matrix):
    i = wp.tid()
    best = float(3.0e38)
    which = int(0)
    for c in range(centers.shape[1]):
        dx = points[0, i] - centers[0, c]
        dy = points[1, i] - centers[1, c]
        distance = dx * dx + dy * dy
        if distance < best:
            best = distance
            which = c
    label[i] = which


def make(inputs, threads):
    wp.config.quiet = True
    wp.config.enable_backward = False
    wp.init()

    def array(values, kind=wp.float32):
        return wp.array(values, dtype=kind, device="cpu")

    def zeros(*shape, kind=wp.float32):
        return wp.zeros(shape, dtype=kind, device="cpu")

    def work(kernel, shape, out, *arguments):
        values = [array(a, {np.int32: wp.int32, np.uint8: wp.uint8}.get(a.dtype.type, wp.float32))
                  if isinstance(a, np.ndarray) else a for a in arguments]
        return lambda: wp.launch(kernel, shape, [out, *values], device="cpu"), out.numpy

    numbers, total = array(inputs.numbers), []
    counts = zeros(256, kind=wp.int32)
    counting, counted = work(count, len(inputs.bytes), counts, inputs.bytes)
    call, put = zeros(len(inputs.price)), zeros(len(inputs.price))
    return f"Warp {wp.__version__}, 1 thread", [
        work(multiply, (MATRIX, MATRIX), zeros(MATRIX, MATRIX), inputs.a, inputs.b),
        (lambda: total.__setitem__(slice(None), [wp.utils.array_sum(numbers)]), lambda: np.array(total)),
        work(transpose, (SIDE, SIDE), zeros(SIDE, SIDE), inputs.square),
        (lambda: (counts.zero_(), counting()), counted),
        work(price_options, len(inputs.price), call, put, inputs.price, inputs.strike, inputs.years, RATE, VOLATILITY),
        work(mandelbrot, (HEIGHT, WIDTH), zeros(HEIGHT, WIDTH, kind=wp.int32), STEPS),
        work(scaled_sum, SIDE * SIDE, zeros(SIDE * SIDE), inputs.numbers, inputs.others, 0.5),
        work(smooth, (SIDE, SIDE), zeros(SIDE, SIDE), inputs.square),
        work(find_forces, BODIES, zeros(3, BODIES), inputs.bodies),
        work(multiply_sparse, ROWS, zeros(ROWS), inputs.numbers, inputs.columns, inputs.starts, inputs.others),
        work(convolve, SAMPLES, zeros(SAMPLES), inputs.numbers, inputs.weights),
        work(find_nearest, POINTS, zeros(POINTS, kind=wp.int32), inputs.points, inputs.centers),
    ]
