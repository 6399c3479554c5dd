"""What launches cost a GPU: `with pykc.costs()`."""
import json
import re

import numpy as np
import pytest

import pykc
from pykc import cuda

SCALE = 2


@cuda.jit
def strided(out, x, step):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = x[i * step] * SCALE


@pykc.kernel
def typed(out: pykc.f32[:]):
    out[pykc.threadIdx.x] = 1


def line_of(launch, text):
    with open(__file__) as file:
        number = next(number for number, line in enumerate(file, 1) if text in line)
    return next(line for line in launch.lines if line.line == number)


def test_numbers_of_a_line():
    out, x = np.zeros(4096, np.float32), np.ones(8 * 4096 + 1, np.float32)[1:]  # a GPU has copies, at whole sectors
    with pykc.costs() as costs:
        strided[16, 256](out, x, 8)
        strided[16, 256](out, x, 8)  # the same again is not counted again
        strided[16, 256](out, x, 1)
    assert out.tolist() == [2] * 4096
    assert len(costs) == 2 and [launch.grid for launch in costs] == ["16", "16"]
    far, near = (line_of(launch, "x[i * step] * SCALE") for launch in costs)
    assert (far.requests, far.sectors, far.ideal_sectors) == (256, 128 * 32 + 128 * 4, 256 * 4)
    assert near.sectors == near.ideal_sectors == 256 * 4
    assert costs[0].chip == "H100" and costs[0]["prediction"]["seconds"] == costs[0].prediction.seconds > 0
    assert any("32 bytes apart" in advice.what for advice in costs[0].advice)
    with pytest.raises(AttributeError):
        costs[0].nonsense


def test_the_text_is_that_of_the_program(monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")  # a narrow terminal shows less of a line
    with pykc.costs("T4") as costs:
        typed[1, 32](np.zeros(32, np.float32))
    assert "typed(out: f32[:])" in str(costs) and "T4: about" in str(costs[0])
    assert re.search(r"\d+      out\[pykc.threadIdx.x\] = 1", str(costs))


def test_the_page(tmp_path):
    with pykc.costs() as costs:
        typed[1, 32](np.zeros(32, np.float32))
    costs.html(tmp_path / "costs.html")
    page = (tmp_path / "costs.html").read_text(encoding="utf-8")
    data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', page, re.DOTALL)[1])
    assert data["reports"][0]["kernel"] == "typed(out: f32[:])"
    places = {place for _, place in data["listings"][0]["PTX"]}
    assert f"{__file__}:{line_of(costs[0], 'out[pykc.threadIdx.x] = 1').line}" in places
    assert "def test_the_page" in data["sources"][__file__]
    assert "sandbox" in costs._repr_html_() and "<script" not in costs._repr_html_()


def test_launches_elsewhere_are_as_they_were():
    x = np.zeros(32, np.float32)
    typed[1, 32](x)
    with pykc.costs() as first:
        typed[1, 32](x)
    typed[1, 32](x)
    with pykc.costs() as second:
        typed[1, 32](x)
        typed[1, 32](np.zeros(64, np.float32))
    assert (len(first), len(second)) == (1, 2)


def test_launches_around_a_kernel():
    @cuda.jit
    def pairs(out, pair):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = pair[0] + pair[1]

    with pykc.costs() as costs:
        pairs[1, 32](np.zeros(32, np.float32), (1.0, 2.0))
        pairs.forall(64)(np.zeros(64, np.float32), (1.0, 2.0))
    assert len(costs) == 2 and sum(line.requests for line in costs[0].lines) == 1


def test_misuse():
    with pytest.raises(ValueError, match="no chip H900 in the tables: T4, A100"):
        pykc.costs("H900")
    with pykc.costs() as costs:
        with pytest.raises(RuntimeError, match="do not nest"), pykc.costs():
            pass
        with pytest.raises(RuntimeError, match="block of pykc.costs.. has ended"):
            len(costs)
    with pytest.raises(RuntimeError, match="make another"), costs:
        pass
    assert str(costs) == "no kernel was launched" and not costs._repr_html_()
    with pytest.raises(ValueError, match="no kernel was launched"):
        costs.html("costs.html")


def test_an_error_ends_the_count():
    with pytest.raises(ZeroDivisionError), pykc.costs():
        raise ZeroDivisionError
    with pykc.costs() as costs:
        typed[1, 32](np.zeros(32, np.float32))
    assert len(costs) == 1
