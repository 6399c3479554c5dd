"""What launches cost a GPU, line by line, counted on the CPU: `with pykc.costs() as costs:`."""
from __future__ import annotations

import contextlib
import functools
import html
import json
import linecache
import pathlib
import shutil
from typing import Any, Iterator

from . import _devices, _native
from ._machine_code import find


class Numbers(dict):
    """A dictionary whose values are attributes, too: `line.sectors` is `line["sectors"]`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Launch(Numbers):
    """One launch, with the numbers of `pykc analyze --json`: `launch.occupancy`, `launch.lines[0].sectors`,
    `launch.prediction.limit`. As text, it is what `pykc analyze` prints."""

    def __init__(self, numbers: Numbers, text: str):
        super().__init__(numbers)
        self._text = text

    def __str__(self) -> str:
        return self._text

    __repr__ = __str__


class Costs:
    """What the launches of a `with pykc.costs()` block cost: a sequence of them, and in a notebook a page."""

    def __init__(self, chip: str = "H100"):
        self._chip, self._target = chip, _native.chip_target(chip)
        self._log: _native.CostLog | None = None
        self._block = contextlib.ExitStack()

    def __enter__(self) -> Costs:
        if _devices.counts_for:
            raise RuntimeError("costs are counted already: blocks of pykc.costs() do not nest")
        if self._log is not None:
            raise RuntimeError("this block of pykc.costs() has ended; make another")
        self._log = _native.CostLog(_devices.device("cpu"))
        self._block.callback(self._log.stop)
        self._block.enter_context(_devices.counting(self._target))
        return self

    def __exit__(self, *error) -> None:
        self._block.close()

    def _reports(self, nvdisasm: str = "") -> _native.CostReports:
        if self._log is None or _devices.counts_for:
            raise RuntimeError("costs are known where the block of pykc.costs() has ended")
        return self._log.reports(self._chip, find("ptxas"), nvdisasm)

    @functools.cached_property
    def launches(self) -> list[Launch]:
        """The first launch of each kernel, shape, extents and integers, in their order."""
        reports, columns = self._reports(), shutil.get_terminal_size((120, 40)).columns
        numbers = json.loads(reports.json(), object_hook=Numbers)
        return [Launch(one, reports.text(number, _source, columns)) for number, one in enumerate(numbers)]

    def __len__(self) -> int:
        return len(self.launches)

    def __getitem__(self, number: int) -> Launch:
        return self.launches[number]

    def __iter__(self) -> Iterator[Launch]:
        return iter(self.launches)

    def __str__(self) -> str:
        return "\n".join(map(str, self.launches)) or "no kernel was launched"

    __repr__ = __str__

    @functools.cached_property
    def _page(self) -> str:
        if not self.launches:
            raise ValueError("no kernel was launched")
        return self._reports(find("nvdisasm")).html(_source)

    def html(self, path: str | pathlib.Path) -> None:
        """Writes the page: a file that needs no network, with source, IR, PTX and SASS side by side."""
        pathlib.Path(path).write_text(self._page, encoding="utf-8")

    def _repr_html_(self) -> str | None:
        return self.launches and (f'<iframe srcdoc="{html.escape(self._page)}" sandbox="allow-scripts" '
                'style="width: 100%; height: 60rem; border: 0"></iframe>')


def costs(chip: str = "H100") -> Costs:
    """`with pykc.costs() as costs:` counts what the launches of kernels in the block would cost a GPU, line by line.

    They run on the CPU device. CHIP is one of T4, A100, RTX4090, H100, H200, B200. Behind the block, `print(costs)`
    shows what `pykc analyze` does, `costs[0]` has the numbers of the first launch, and `costs.html(path)` writes a
    page."""
    return Costs(chip)


def _source(file: str) -> str:
    return "".join(linecache.getlines(file))
