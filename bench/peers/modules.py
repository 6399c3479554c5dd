"""pykc's kernels of the benchmark, compiled to PTX. Needs nothing but pykc, so that this can be done on any machine."""
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
STDLIB = HERE.parent.parent / "stdlib"
MODULES = {  # the file, and the types of its generic kernels
    "kernels": (HERE / "kernels.pyk", []),
    "matmul": (STDLIB / "matmul.pyk", []),
    "softmax": (STDLIB / "softmax.pyk", ["softmax_rows(f32[:, :], f32[:, :], 256, 16, True)"]),
    "transpose": (STDLIB / "transpose.pyk", ["transpose_tiled(i32[:, :], i32[:, :])"]),
    "histogram": (STDLIB / "histogram.pyk", ["histogram_256(i32[:], i32[:])"]),
    "scan": (STDLIB / "scan.pyk", ["inclusive_scan(f32[:], f32[:], u64[:])"]),
    "reduce_add": (STDLIB / "reduce.pyk", ["reduce(f32[:], f32[:], add, f32)"]),
    "reduce_maximum": (STDLIB / "reduce.pyk", ["reduce(f32[:], f32[:], maximum, f32)"]),
    "gemv": (STDLIB / "gemv.pyk", ["gemv_by_rows(f64, f64[:, :], f64[:], f64, f64[:])",
                                   "gemv_by_columns(f64, f64[::1, :], f64[:], f64, f64[:])"]),
}


def compile_modules(pykc: pathlib.Path, folder: pathlib.Path, target: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, (source, signatures) in MODULES.items():
        types = [option for signature in signatures for option in ("--sig", signature)]
        subprocess.run([pykc, "compile", str(source), "--target", target, "--no-warnings", *types, "-o",
                        str(folder / f"{name}.ptx")], check=True)
