"""SASS, the machine code of NVIDIA's GPUs: made of PTX by their own assembler and disassembler, where these are."""
from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def sass(ptx: str) -> str:
    """The machine code of a PTX module for the chip that it names. RuntimeError says which program is missing."""
    found = re.search(r"^\.target (\w+)", ptx, re.MULTILINE)
    if found is None:
        raise ValueError("the text is no PTX: it names no target")
    ptxas, nvdisasm = _program("ptxas"), _program("nvdisasm")
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = pathlib.Path(folder, "kernel.ptx"), pathlib.Path(folder, "kernel.cubin")
        source.write_text(ptx)
        _run([ptxas, f"-arch={found[1]}", str(source), "-o", str(cubin)])
        return _run([nvdisasm, "--print-code", str(cubin)])


def constant_bytes(ptx: str) -> int:
    """What the declarations of a PTX text take: `.const .align 16 .b8 table[80] = …`."""
    size = 0
    for align, bits, count in re.findall(r"^(?:\.\w+ )*\.const \.align (\d+) \.\w(\d+) [^\s\[=;]+(?:\[(\d+)\])?", ptx,
                                         re.MULTILINE):
        size = -(-size // int(align)) * int(align) + int(bits) // 8 * int(count or 1)
    return size


def find(name: str) -> str:
    """The path of a program of NVIDIA's; nothing where it is not there."""
    return shutil.which(name, path=os.pathsep.join(map(str, _folders()))) or ""


def _program(name: str) -> str:
    path = find(name)
    if not path:
        raise RuntimeError(f"SASS is made by NVIDIA's ptxas and nvdisasm, and {name} is not here: it comes with the "
                           "CUDA toolkit, or by `pip install nvidia-cuda-nvcc nvidia-cuda-nvdisasm`, and is looked "
                           "for in PATH, CUDA_HOME, /usr/local/cuda and the packages of this Python")
    return path


def _folders() -> list:
    packages = [folder for entry in sys.path for folder in sorted(pathlib.Path(entry).glob("nvidia/*/bin"))]
    return [*os.get_exec_path(), pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin"), *packages]


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{pathlib.Path(command[0]).name} failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout
