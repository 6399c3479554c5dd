"""`@pykc.struct`: records for kernels and for NumPy."""
import numpy as np
import pytest

import pykc
from pykc import cuda


@pykc.struct
class Cell:
    tag: pykc.i8
    weight: pykc.f64


@pykc.struct
class Particle:
    """In memory as in C."""
    place: pykc.f32x4
    cell: Cell
    phase: pykc.c64
    counts: pykc.i16[2, 3]
    mass: pykc.f32 = 1.5
    spin: pykc.i8[2] = (1, -1)


@pykc.device
def heavier(p: Particle, by):
    return Particle(p.place, p.cell, p.phase, p.counts, p.mass + by)


@pykc.kernel
def update(particles: Particle[:], one: Particle):
    i = pykc.grid(1)
    particles[i].place.w += 1
    particles[i].counts[1, 2] = i
    particles[i].cell = Cell(1, 2.5)
    if i == 1:
        particles[i] = heavier(one, 2)


def test_kernels():
    particles = np.zeros(3, Particle)
    one = Particle(pykc.f32x4(1, 2, 3, 4), Cell(3, 0.5), 1j, [[1, 2, 3], [4, 5, 6]])
    assert one.mass == 1.5 and one.spin.tolist() == [1, -1] and one.cell.weight == 0.5 and one.counts[1, 0] == 4
    update[1, 3](particles, one)
    cuda.synchronize()
    assert particles["mass"].tolist() == [0, 3.5, 0] and particles["cell"]["weight"].tolist() == [2.5, 0.5, 2.5]
    assert particles[2].place.w == 1 and particles[2].counts[1, 2] == 2 and particles[1].phase == 1j


def test_numbas_kernels_take_them():
    @cuda.jit
    def kernel(cells: Cell[:]):
        cells[0].weight = cells[0]["tag"] + 1
        cells[1] = Cell(7, 8)

    cells = np.zeros(2, Cell)
    kernel[1, 1](cells)
    cuda.synchronize()
    assert cells["weight"].tolist() == [1, 8] and cells["tag"].tolist() == [0, 7]


def test_layout():
    assert Particle.dtype.itemsize == 64 and Particle.dtype.fields["phase"][1] == 32
    assert Cell.dtype.fields["weight"][1] == 8 and Particle.__doc__ == "In memory as in C."


def test_what_does_not_fit():
    for arguments in ((1,), (1, 2, 3)):
        with pytest.raises(TypeError, match="Cell"):
            Cell(*arguments)
    for named in ({"tag": 2}, {"other": 1, "weight": 2}):
        with pytest.raises(TypeError, match="each of its fields once: tag, weight"):
            Cell(1, **named)
