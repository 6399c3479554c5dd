#!/usr/bin/env python3
"""What ptxas makes of pykc's PTX, beside what nvcc makes of the same kernels in CUDA C++, as a table in Markdown.

    python3 bench/peers/sass.py --programs build/release/bin

Needs nvcc, ptxas and cuobjdump (of the PyPI package nvidia-cuda-cuobjdump, say) in PATH, and no GPU. The hot loop is
the innermost one with the most loads of global memory and products; of a kernel without a loop it is the whole.
"""
import argparse
import collections
import dataclasses
import pathlib
import re
import subprocess
import tempfile

from modules import HERE, compile_modules

MODULES = ("kernels", "matmul")  # of pykc, that have a twin in kernels.cu
ARITHMETIC = ("FFMA", "DFMA")


@dataclasses.dataclass
class Code:
    registers: int
    spilled: int  # bytes
    instructions: list[str]
    hot: list[str]

    def loads(self) -> str:
        counts = collections.Counter(re.sub(r"\.DESC\b", "", text) for text in self.hot if text.startswith("LDG"))
        return ", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "none"


def resources_of(log: str) -> dict[str, tuple[int, int]]:
    """Registers and spilled bytes of each kernel, as ptxas -v tells them."""
    found = {}
    for part in log.split("Compiling entry function '")[1:]:
        spilled = sum(int(n) for n in re.findall(r"(\d+) bytes spill", part))
        found[part.split("'")[0]] = int(re.search(r"Used (\d+) registers", part).group(1)), spilled
    return found


def hot_loop(code: list[tuple[int, str, str]]) -> list[str]:
    """Of instructions as address, opcode and text."""
    loops = []
    for address, opcode, text in code:
        target = re.search(r"0x([0-9a-f]+)", text) if opcode.startswith("BRA") else None
        if target and int(target.group(1), 16) < address:
            loops.append((int(target.group(1), 16), address))
    innermost = [(first, last) for first, last in loops
                 if not any((first, last) != other and first <= other[0] and other[1] <= last for other in loops)]
    bodies = [[opcode for address, opcode, _ in code if first <= address <= last] for first, last in innermost]
    weight = lambda body: sum(opcode.startswith(("LDG",) + ARITHMETIC) for opcode in body)
    return max(bodies, key=weight, default=[opcode for _, opcode, _ in code])


def kernels_of(cubin: pathlib.Path, log: str) -> dict[str, Code]:
    text = subprocess.run(["cuobjdump", "-sass", cubin], check=True, stdout=subprocess.PIPE, text=True).stdout
    result, resources = {}, resources_of(log)
    for part in text.split("Function : ")[1:]:
        name = part.split("\n")[0].strip()
        lines = re.findall(r"/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+ )?([A-Z][\w.]*)([^;\n]*);", part)
        code = [(int(address, 16), opcode, rest) for address, opcode, rest in lines]
        while code and (code[-1][1] == "NOP" or code[-1][1] == "BRA" and f"0x{code[-1][0]:x}" in code[-1][2]):
            code.pop()  # what fills the end
        result[name] = Code(*resources[name], [opcode for _, opcode, _ in code], hot_loop(code))
    return result


def run(command: list) -> str:
    """What it prints."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=pathlib.Path, default="build/release/bin", help="where pykc is")
    parser.add_argument("--target", default="sm_90")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        compile_modules(options.programs / "pykc", folder, options.target)
        ours = {}
        for module in MODULES:
            cubin = folder / f"{module}.cubin"
            ptx = folder / f"{module}.ptx"
            ours |= kernels_of(cubin, run(["ptxas", "-v", f"-arch={options.target}", ptx, "-o", cubin]))
        cubin = folder / "nvcc.cubin"
        theirs = kernels_of(cubin, run(["nvcc", "-cubin", f"-arch={options.target}", "-std=c++17", "-Xptxas", "-v",
                                        HERE / "kernels.cu", "-o", cubin]))
    print("| kernel | registers | instructions | of the hot loop | loads of global memory in it, pykc | CUDA C++ |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, nvcc in theirs.items():
        pykc = ours[name]
        spilled = f", spilled {pykc.spilled} / {nvcc.spilled} bytes" if pykc.spilled or nvcc.spilled else ""
        print(f"| `{name}` | {pykc.registers} / {nvcc.registers}{spilled} | {len(pykc.instructions)} / "
              f"{len(nvcc.instructions)} | {len(pykc.hot)} / {len(nvcc.hot)} | {pykc.loads()} | {nvcc.loads()} |")


if __name__ == "__main__":
    main()
