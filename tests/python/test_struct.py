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


@pykc.struct
class City:
    name: "U8"
    people: pykc.i64


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


def test_constants():
    particles = np.zeros(2, Particle)
    particles[1] = Particle(pykc.f32x4(1, 2, 3, 4), Cell(5, 6.5), 7 + 8j, [[1, 2, 3], [4, 5, 6]])

    def function(out):
        one = particles[1]
        out[0], out[1], out[2] = one.place.w, one.cell.weight, one.phase.imag
        out[3], out[4], out[5], out[6] = one.counts[1, 2], one.mass, one.spin[1], len(particles)

    for kernel in (cuda.jit(function), pykc.kernel(function)):
        out = np.zeros(7)
        kernel[1, 1](out)
        cuda.synchronize()
        assert out.tolist() == [4, 6.5, 8, 6, 1.5, -1, 2]


def test_text_and_arguments_of_any_type():
    @pykc.kernel
    def kernel(cities: City[:], one: City):
        cities[0] = City("Oslo", one.people)
        cities[1].people = one.name == "Bergen"

    cities = np.zeros(2, City)
    kernel[1, 1](cities, City("Bergen", 291_940))
    cuda.synchronize()
    assert cities.tolist() == [("Oslo", 291_940), ("", 1)]

    @pykc.kernel
    def beside_a_tuple(cities: City[:], numbers, one: City):
        cities[0] = City("Bern", one.people + numbers[1])

    beside_a_tuple[1, 1](cities, (1, 2), City("Bergen", 5))
    cuda.synchronize()
    assert cities[0].item() == ("Bern", 7)

    @pykc.kernel
    def beside_any_number(cities: City[:], number):
        cities[0].people = number

    beside_any_number[1, 1](cities, 3)
    cuda.synchronize()
    assert cities[0].item() == ("Bern", 3)


def test_layout():
    assert Particle.dtype.itemsize == 64 and Particle.dtype.fields["phase"][1] == 32
    assert Cell.dtype.fields["weight"][1] == 8 and Particle.__doc__ == "In memory as in C."


def test_what_does_not_fit():
    with pytest.raises(TypeError, match="stands above a class: 5 is none"):
        pykc.struct(5)
    for arguments in ((1,), (1, 2, 3)):
        with pytest.raises(TypeError, match="Cell"):
            Cell(*arguments)
    for named in ({"tag": 2}, {"other": 1, "weight": 2}):
        with pytest.raises(TypeError, match="each of its fields once: tag, weight"):
            Cell(1, **named)
