#!/usr/bin/env bash
# The program as a person uses it: what it writes where, its exit codes, and what it says to bad input.
# usage: cli_test.sh PYKC SOURCE_DIR
set -uo pipefail
pykc=$1
source_dir=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export PYKC_CACHE_DIR=$work/cache PYKC_CACHE=on
passed=0 failed=0

# expect CODE 'text that the output must contain' COMMAND…
expect() {
  local code=$1 text=$2 output status
  shift 2
  output=$(timeout 60 "$@" 2>&1 </dev/null)
  status=$?
  if [ "$status" -eq "$code" ] && [[ "$output" == *"$text"* ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s\n  exit %s (expected %s), output should contain: %s\n%s\n' "$*" "$status" "$code" "$text" "${output:0:2000}"
  fi
}
same() { # same WHAT FILE FILE
  if cmp -s "$2" "$3"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $1"; diff "$2" "$3" | head -20; fi
}

cp "$source_dir/examples/vecadd.pyk" .

# What it makes.
expect 0 "" "$pykc" compile vecadd.pyk
[ -s vecadd.ptx ] || { echo "FAILED: compile writes vecadd.ptx"; failed=$((failed + 1)); }
expect 0 ".visible .entry vecadd" "$pykc" compile vecadd.pyk -o -
expect 0 ".target sm_90" "$pykc" compile vecadd.pyk --target sm_90 -o -
expect 0 "kernel @" "$pykc" compile vecadd.pyk --emit ir -o -
expect 0 "define" "$pykc" compile vecadd.pyk --emit llvm -o -
expect 0 "define" "$pykc" compile vecadd.pyk --emit llvm --target cpu -o -
expect 0 "ret" "$pykc" compile vecadd.pyk --emit asm -o -
expect 0 "" "$pykc" compile vecadd.pyk --emit obj -o vecadd.o
expect 0 "total" "$pykc" compile vecadd.pyk --time -o out.ptx
for level in 0 1 2 3; do expect 0 ".entry" "$pykc" compile vecadd.pyk -O "$level" -o -; done
expect 0 "on cpu" "$pykc" run vecadd.pyk --device cpu
expect 0 " passed, 0 failed" "$pykc" test vecadd.pyk --device cpu
cat > gpu_only.pyk <<'EOF'
from pykc import *


@kernel
def clusters(y: i32[:]):
    y[0] = ptx("mov.u32 %0, %%laneid;", i32)
    barrier_sync(1, 32)
    cluster_sync()
EOF
expect 0 "barrier.cluster.arrive" "$pykc" compile gpu_only.pyk --target sm_90 -o -
expect 1 "\`cluster_sync\` needs sm_90 or later; the target is sm_80" "$pykc" compile gpu_only.pyk --target sm_80 -o -
cat > boxes.pyk <<'PYK'
from pykc import *


@kernel
def boxes(o: u64[:], a: f32[:, :]):
    o[0] = tensor_map(a, box=(8, 32), swizzle=128)
PYK
expect 1 "\`tensor_map\` needs sm_90 or later; the target is sm_80" "$pykc" compile boxes.pyk --target sm_80 -o -
expect 1 "\`ptx\` needs a GPU; the target is cpu" "$pykc" compile gpu_only.pyk --target cpu -o -
cat > generations.pyk <<'PYK'
from pykc import *
from pykc.tcgen05 import tensor_load_wait


@kernel
def next_one(o: u64[:]):
    tensor_load_wait()


@kernel
def one(o: u64[:]):
    ptx("wgmma.fence.sync.aligned;")
PYK
expect 1 "\`tcgen05.\` needs sm_100a; the target is sm_90a" "$pykc" compile generations.pyk --target sm_90a -o -
expect 1 "\`tcgen05.\` needs sm_100a; the target is sm_100" "$pykc" compile generations.pyk --target sm_100 -o -
expect 1 "\`wgmma.\` needs sm_90a; the target is sm_100a" "$pykc" compile generations.pyk --target sm_100a -o -
expect 0 "" "$pykc" check vecadd.pyk
expect 0 "LLVM" "$pykc" --version
expect 0 "cpu" "$pykc" info
expect 0 "cache               $work/cache" "$pykc" info

# The cache.
expect 0 " entries, 0.0 MiB in $work/cache" "$pykc" cache stat
expect 0 "removed 2 entries" "$pykc" cache clear  # the example as it runs, and as its tests watch it
expect 0 "0 entries" "$pykc" cache stat
expect 0 "on cpu" "$pykc" run vecadd.pyk --device cpu
expect 0 "1 entries" "$pykc" cache stat
expect 0 "on cpu" "$pykc" run vecadd.pyk --device cpu
expect 1 "the cache is off" env PYKC_CACHE=off "$pykc" cache stat
expect 0 "cache               off" env PYKC_CACHE=off "$pykc" info
expect 2 "subcommand is required" "$pykc" cache
expect 0 "syncthreads() -> none" "$pykc" builtins
expect 0 "compile" "$pykc" --help
expect 0 "" bash -c "'$pykc' compile vecadd.pyk -o - | head -1"

# What takes too long.
cat > endless.pyk <<'EOF'
from pykc import *


@kernel
def spin(x: i32[:]):
    while x[0] == 0:
        pass


def main(what: str):
    x = zeros(4, i32)
    while what == "host":
        pass
    if what == "list":
        a = [[i for i in range(1000000)] for j in range(1000000)]
    spin[1, 1](x)


@test
def test_endless():
    main("kernel")


@test
def test_fine():
    assert zeros(3, i32).sum() == 0
EOF
expect 124 "endless.pyk:12:" "$pykc" run endless.pyk --timeout 0.3 host
expect 124 "error E0466: the time is over: the limit is 0.3 s" "$pykc" run endless.pyk --timeout 0.3 host
expect 124 "endless.pyk:15:" "$pykc" run endless.pyk --timeout 0.3 list
expect 124 "note: kernel \`spin\` was cancelled at endless.pyk:6" "$pykc" run endless.pyk --device cpu --timeout 0.3 kernel
expect 1 "1 passed, 1 failed" "$pykc" test endless.pyk --device cpu --timeout 0.3
expect 0 "" "$pykc" run vecadd.pyk --device cpu --timeout 60
for time in 0 inf nan; do expect 2 "--timeout" "$pykc" run endless.pyk --timeout "$time"; done
expect 2 "--seed" "$pykc" run endless.pyk --seed -1

# Host code that takes all memory, of each shape that destructors must take apart without any. (AddressSanitizer reserves
# more than the limit.)
if bash -c 'ulimit -v 300000; "$0" --version' "$pykc" >/dev/null 2>&1; then
  for grow in 'x.append(1)' 'x = x + x' 'x.append((1, (2, [3])))' 'x = [[1, [2]], x, [[3]]]' 'x.append(ones(1000000))'; do
    printf 'from pykc import *\n\n\ndef main():\n    x = [1]\n    while True:\n        %s\n' "$grow" > greedy.pyk
    expect 1 "out of memory" bash -c 'ulimit -v 300000; "$0" run --device cpu greedy.pyk' "$pykc"
  done
fi

# A stranger's host code has no files.
for call in 'load("x.npy")' 'save("x.npy", ones(3))' 'save_pgm("x.pgm", ones((2, 2)))'; do
  printf 'from pykc import *\n\n\ndef main():\n    %s\n' "$call" > stranger.pyk
  expect 1 "stranger.pyk:5:5: error E0314: \`${call%%(*}\` is not allowed" "$pykc" run --untrusted --device cpu stranger.pyk
done

# A kernel with several configurations.
cat > tuned.pyk <<'EOF'
from pykc import *


@autotune(configs=[config(TURNS=4000), config(TURNS=4)])
@kernel
def turn(x: i64[:], TURNS: constexpr):
    i = grid(1)
    if i < len(x):
        for k in range(TURNS):
            x[i] = (7 * x[i] + k) % 1_000_003


def main():
    x = arange(2000)
    turn[8, 256](x)
EOF
expect 0 "" "$pykc" check tuned.pyk
cat > wrong_configuration.pyk <<'EOF'
from pykc import *


@autotune(configs=[config(PART=0), config(PART=2)])
@kernel
def k(x: f32[:], PART: constexpr):
    x[(1.0, 2.0)[PART]] = 1
EOF
expect 1 "error E0" "$pykc" check wrong_configuration.pyk
# The sanitizer, by each of its doors.
cat > race.pyk <<'EOF'
from pykc import *


@kernel
def k(x: i32[:]):
    x[0] = threadIdx.x


def main():
    k[1, 32](zeros(1, i32))


@test
def races():
    k[1, 32](zeros(1, i32))
EOF
(echo "# pykc: sanitize"; cat race.pyk) > asks_itself.pyk
race="error E0601: \`x[0]\`: thread (1, 0, 0) writes what thread (0, 0, 0) writes"
expect 0 "" "$pykc" run --device cpu race.pyk
expect 1 "$race" "$pykc" run --device cpu --sanitize race.pyk
expect 1 "$race" "$pykc" run --device cpu --sanitize=bounds,races race.pyk
expect 0 "" "$pykc" run --device cpu --sanitize=bounds race.pyk
expect 1 "$race" "$pykc" run --device cpu asks_itself.pyk
expect 1 "$race" env PYKC_SANITIZE=races "$pykc" run --device cpu race.pyk
expect 1 "the blocks ran in the order of seed 7" "$pykc" run --device cpu --sanitize --seed 7 race.pyk
if ("$pykc" test --device cpu --diagnostics json race.pyk || true) | python3 -c 'import json,sys
race = json.load(sys.stdin)[0]["runs"][0]["diagnostics"][0]
assert race["code"] == "E0601" and race["labels"][0]["line"] == race["line"], race'; then
  passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: test --diagnostics json has no labels"; fi
expect 1 "$race" "$pykc" test --device cpu race.pyk
expect 0 "1 passed" "$pykc" test --device cpu --no-sanitize race.pyk
expect 2 "it takes all, or some of bounds, races" "$pykc" run --sanitize=race race.pyk

cat > missed_barrier.pyk <<'EOF'
from pykc import *


@autotune(configs=[config(PART=0), config(PART=1)])
@kernel
def k(x: f32[:], PART: constexpr):
    if PART == 1 or threadIdx.x == 0:
        syncthreads()
    x[0] = 1
EOF
expect 0 "W0550" "$pykc" check missed_barrier.pyk
sed -i 's/PART == 1/PART == 0/' missed_barrier.pyk # now it is the second configuration that misses it
"$pykc" check missed_barrier.pyk > missed_barrier.text 2>&1
same "check looks for missed barriers in the first configuration alone" missed_barrier.text /dev/null
expect 0 "pykc: turn: TURNS=4 of 2 configurations, " env PYKC_AUTOTUNE=report "$pykc" run tuned.pyk --device cpu
expect 0 "pykc: turn: TURNS=4 of 2 configurations, as measured before" env PYKC_AUTOTUNE=report "$pykc" run tuned.pyk --device cpu
expect 1 "PYKC_AUTOTUNE is \`no\`; it may be" env PYKC_AUTOTUNE=no "$pykc" run tuned.pyk --device cpu
expect 0 "turn is compiled for TURNS=4000, the first of its 2 configurations; --sig 'turn(i64[:], 4000)'" "$pykc" compile tuned.pyk -o turn.ptx
expect 0 "" "$pykc" compile tuned.pyk --sig 'turn(i64[:], 4000)' -o turn4000.ptx
expect 0 "" "$pykc" compile tuned.pyk --sig 'turn(i64[:])' -o turn_first.ptx
same "the first configuration is compiled" turn.ptx turn4000.ptx
same "a signature may leave out what configurations set" turn.ptx turn_first.ptx
expect 0 "" "$pykc" compile tuned.pyk --sig 'turn(i64[:], 4)' -o turn4.ptx
expect 1 "differ" cmp turn.ptx turn4.ptx
expect 1 "has 2 parameters, but 0 types are given" "$pykc" compile tuned.pyk --sig 'turn()' -o -
printf '@kernel\ndef counts(x: i64[:], given):\n    x[0] = len(given)\n' > counts.pyk
expect 0 ".entry counts" "$pykc" compile counts.pyk --sig 'counts(i64[:], tuple[])' -o -
expect 1 "is not a signature" "$pykc" compile counts.pyk --sig 'counts(i64[:], tuple[f32' -o -
expect 0 "%  TURNS=4000" "$pykc" bench tuned.pyk --sizes 1e4 --seconds 0.01 --device cpu
expect 0 "%  TURNS=4" "$pykc" bench tuned.pyk --sizes 1e4 --seconds 0.01 --device cpu
# 400 threads; the other configuration would have 400,000, which is told.
expect 1 "       400 " "$pykc" bench tuned.pyk --sizes 1e4 --blocks TURNS00,64 --sig 'turn(i64[:])' --seconds 0.01 --device cpu
printf '@kernel(launch_bounds=96)\ndef bounded(x: f32[:]):\n    i = grid(1)\n    if i < len(x):\n        x[i] = 1.0\n' > bounded.pyk
expect 0 "        96 " "$pykc" bench bounded.pyk --sizes 1e4 --seconds 0.01 --device cpu
expect 0 "turn(x: i64[:])" "$pykc" bench tuned.pyk --sig 'turn(i64[:], 4)' --sizes 1e4 --seconds 0.01 --device cpu
cat vecadd.pyk tuned.pyk > both.pyk
expect 0 "--sig 'turn(i64[:], 4000)'" "$pykc" compile both.pyk -o both.ptx
expect 0 "visible .entry turn" cat both.ptx

# JSON that a program can read.
printf '@kernel\ndef f(x: f32[:]):\n    y = z\n' > bad.pyk
if ("$pykc" check bad.pyk --diagnostics json || true) | python3 -c 'import json,sys; d=json.load(sys.stdin); assert d[0]["code"].startswith("E0"), d'; then
  passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: check --diagnostics json"; fi
if "$pykc" builtins --format json | python3 -c 'import json,sys; d=json.load(sys.stdin); assert len(d) > 80 and {"builtin", "language function"} < {r["kind"] for r in d}'; then
  passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: builtins --format json"; fi

# Generic kernels.
cat > print.pyk <<'END'
from pykc import *


@kernel
def show(x: f32[:], y: f64[:], z: c64, flag: bool):
    for i in range(len(x)):
        print("<", x[i], y[i], ">")
    print(z, flag, f16(2.0), (1, 2.0), -0.0, sep=" ")


def main():
    show[1, 1](array([1.0, 0.5, 123456.7, 2.0000002, 1e7], f32), array([-3.0, 0.1, 1e14, 1e15, float("nan")]), c64(1, 2), True)
END
expect 0 $'< 1.0 -3.0 >\n< 0.5 0.1 >\n< 123457.0 100000000000000.0 >\n< 2.0 1e+15 >\n< 1e+07 nan >\n(1+2j) True 2.0 (1, 2.0) -0.0' \
  "$pykc" run print.pyk --device cpu
cat > print_numba.pyk <<'END'
from numba import cuda


@cuda.jit
def show(x, z):
    print("<", x[0], 1.0, (2.5, 1), z, cuda.bfloat16(0.9375), ">")


def main():
    show[1, 1](array([123456.75], f32), 1 + 2.5j)
END
expect 0 '< 123456.750000 1.000000 (2.500000, 1) (1.000000+2.500000j) 0.937500 >' "$pykc" run print_numba.pyk --device cpu
printf '@kernel\ndef saxpy(a, y, x):\n    i = grid(1)\n    if i < len(y):\n        y[i] += a * x[i]\n' > saxpy.pyk
expect 0 ".entry" "$pykc" compile saxpy.pyk --sig 'saxpy(f32, f32[:], f32[:])' -o -
expect 1 "there is nothing to compile; --sig 'saxpy(" "$pykc" compile saxpy.pyk -o -
expect 1 "saxpy" "$pykc" compile saxpy.pyk --sig 'saxpy(f32)' -o -
expect 1 "sexpy" "$pykc" compile saxpy.pyk --sig 'sexpy(f32)' -o -
expect 1 "" "$pykc" compile saxpy.pyk --sig 'saxpy(' -o -

# What programs carry: a header and a C file.
expect 0 "pykc::Result<void> vecadd(const pykc::LaunchConfig& config" "$pykc" compile vecadd.pyk --emit header -o -
expect 0 "const struct pykc_embedded_artifact pykc_embedded_vecadd_" "$pykc" compile vecadd.pyk --emit c -o -
expect 0 "/* cpu:x86-64-v3 */" "$pykc" compile vecadd.pyk --emit c --target sm_90,cpu,cpu:x86-64-v3 -o -
printf "WEIGHTS = const.array(3, f32)\n@kernel\ndef weigh(y: f32[:]):\n    y[0] *= WEIGHTS[1]\n" > weights.pyk
expect 0 "Result<pykc::Array<float>> WEIGHTS() const" "$pykc" compile weights.pyk --emit header -o -
expect 0 "namespace other {" "$pykc" compile vecadd.pyk --emit header --namespace other -o -
expect 1 "--namespace takes a C++ identifier" "$pykc" compile vecadd.pyk --emit header --namespace a::b -o -
expect 0 "ScalarParameter<double> a" "$pykc" compile saxpy.pyk --emit header -o - \
  --sig 'saxpy(f32, f32[:], f32[:])' --sig 'saxpy(f64, f64[:], f64[:])'
expect 1 "have the same C++ types" "$pykc" compile saxpy.pyk --emit header -o - \
  --sig 'saxpy(f32, f32[:], f32[:])' --sig 'saxpy(f32, f32[::], f32[:])'
expect 1 "has no kernel whose parameters are all annotated" "$pykc" compile saxpy.pyk --emit c -o -
expect 2 "--target" "$pykc" compile vecadd.pyk --target ""
expect 2 "only --emit header and --emit c take several targets" "$pykc" compile vecadd.pyk --target sm_80,sm_90
expect 1 "cannot run no-such-ptxas" "$pykc" compile vecadd.pyk --emit c --ptxas no-such-ptxas -o -
mkdir -p "a folder"
printf 'from vecadd import *\nfrom pykc.reduce import *\n' > "a folder/importing.pyk"
cp vecadd.pyk "a folder"
expect 0 "" "$pykc" compile "a folder/importing.pyk" -o out.ptx --depfile out.d
printf 'out.ptx: \\\n  a\\ folder/importing.pyk \\\n  a\\ folder/vecadd.pyk\n' > expected.d
same "--depfile names what was read" expected.d out.d

# Bad input: an error that says what to do, never a crash.
expect 2 "" "$pykc"
expect 2 "there is no command \`cache clean\`; did you mean \`cache clear\`? The commands: stat, clear" \
  "$pykc" cache clean
expect 2 "there is no command \`frobnicate\`. The commands: compile, run" "$pykc" frobnicate
expect 2 "did you mean \`bench\`?" "$pykc" bnech vecadd.pyk
expect 2 "" "$pykc" compile
expect 2 "" "$pykc" compile vecadd.pyk --emit nonsense
expect 2 "" "$pykc" compile vecadd.pyk -O 9
expect 2 "cpu" "$pykc" compile vecadd.pyk --emit obj --target sm_80
expect 1 "sm_75" "$pykc" compile vecadd.pyk --target sm_1
expect 1 "cannot read" "$pykc" compile missing.pyk
expect 1 "folder" "$pykc" compile "$work"
expect 1 "cannot write" "$pykc" compile vecadd.pyk -o /nonexistent/folder/out.ptx
expect 1 "E0" "$pykc" compile bad.pyk
expect 1 "E0" "$pykc" run bad.pyk --device cpu
expect 1 "no NVIDIA driver" env PYKC_CUDA_LIBRARY=/nonexistent "$pykc" run vecadd.pyk --device cuda:7
expect 2 "E9999" "$pykc" explain E9999
expect 0 'E0201: the name `…` is not defined' "$pykc" explain E0201
expect 0 $'anything is assigned to it\n\nA function' "$pykc" explain E0203
expect 2 'there is no device `gpu`; this machine has cpu' "$pykc" run vecadd.pyk --device gpu
expect 2 'there is no device `toaster`' "$pykc" run vecadd.pyk --device toaster
: > empty.pyk
expect 0 "" "$pykc" check empty.pyk
expect 1 "no test" "$pykc" test empty.pyk
expect 1 "main" "$pykc" run empty.pyk --device cpu
head -c 4096 /dev/urandom > noise.pyk
expect 1 "E0" "$pykc" check noise.pyk
printf '@kernel\ndef f(x: f32[:]):\n    x[0] = 1\0' > nul.pyk
expect 1 "E0" "$pykc" check nul.pyk
python3 - <<'PYTHON'
open("deep.pyk", "w").write("x = " + "(" * 100000 + "1" + ")" * 100000 + "\n")
open("wide.pyk", "w").write("x = " + "1 + " * 2500000 + "1\n")
open("long.pyk", "w").write("# " + "a" * 10000000 + "\nx = 1\n")
PYTHON
expect 1 "E0" "$pykc" check deep.pyk
expect 1 "E0" "$pykc" check wide.pyk
expect 0 "" "$pykc" check long.pyk

# Tests that expect diagnostics, and lists of files that may fail.
mkdir chapter
printf '@kernel\ndef f(x: f32[:]):\n    x[0] = y  # expect: E0201 @ 12\n' > chapter/expected.pyk
expect 0 "1 passed, 0 failed" "$pykc" test chapter/expected.pyk --device cpu
expect 0 "chapter " "$pykc" test chapter vecadd.pyk --device cpu
printf '@kernel\ndef f(x: f32[:]):\n    x[0] = y  # expect: E0202 @ 13\n' > chapter/other.pyk
expect 1 "other.pyk:3:12: not expected: E0201" "$pykc" test chapter --device cpu
expect 1 "other.pyk:3:13: expected E0202" "$pykc" test chapter/other.pyk --device cpu
printf 'other.pyk  # why\n' > chapter/known.txt
expect 0 "1 files known to fail" "$pykc" test chapter --known-failures chapter/known.txt --device cpu
printf 'expected.pyk\nother.pyk\n' > chapter/known.txt
expect 1 "expected.pyk: passes now" "$pykc" test chapter --known-failures chapter/known.txt --device cpu
expect 1 "cannot read" "$pykc" test chapter --known-failures missing.txt --device cpu
printf 'x = 1  # expect: nothing\n' > nothing.pyk
expect 0 "1 passed, 0 failed" "$pykc" test nothing.pyk --device cpu
printf 'x = 1  # expect: E0203\n' > mistaken.pyk
expect 1 "an expectation is written" "$pykc" test mistaken.pyk --device cpu
printf '@test\ndef test_one():\n    assert 1 == 2  # expect: E0434 @ 12\n' > fails.pyk
expect 0 "2 passed, 0 failed" "$pykc" test fails.pyk --device cpu
printf '# options: --no-such-option\n@test\ndef test_one():\n    pass\n' > options.pyk
expect 1 "cannot read" "$pykc" test options.pyk --device cpu
rm chapter/other.pyk
if "$pykc" test chapter fails.pyk --diagnostics json --device cpu | python3 -c 'import json,sys; r=json.load(sys.stdin); assert len(r) == 2 and r[0]["diagnostics"] == 1'; then
  passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: test --diagnostics json"; fi

# Benchmarks: what is counted of a known kernel, for each size and block; what is written; errors that teach.
bench() { "$pykc" bench "$@" --device cpu --seconds 0.001; }
export -f bench
export pykc
expect 0 "roofline" bash -c 'bench vecadd.pyk::vecadd --sizes 1000,2000 --blocks 32..64,16x16 --csv b.csv --svg b.svg --json b.json'
if python3 - <<'PYTHON'
import csv, json, xml.dom.minidom
rows = list(csv.DictReader(open("b.csv")))
assert [(r["size"], r["block"]) for r in rows] == [(s, b) for s in ("1000", "2000") for b in ("32", "64", "16x16")]
for r in rows:
    n = int(r["size"]) * (16 if r["block"] == "16x16" else 1)  # grid(1) is along x: 16 threads do the same
    assert [int(r[name]) for name in ("bytes_loaded", "bytes_stored", "f32_operations", "f64_operations")] == [8 * n, 4 * n, n, 0]
    assert 0 < float(r["min_seconds"]) <= float(r["median_seconds"]) <= float(r["max_seconds"]) and int(r["samples"]) >= 7
    assert abs(float(r["bytes_per_second"]) * float(r["median_seconds"]) / (int(r["bytes_loaded"]) + int(r["bytes_stored"])) - 1) < 1e-6
points = json.load(open("b.json"))
assert len(points["points"]) == 6 and points["failures"] == [] and points["roofline"]["bytes_per_second"] > 0
svg = xml.dom.minidom.parse("b.svg").documentElement
assert svg.tagName == "svg" and len(svg.getElementsByTagName("circle")) == 2 * 6 + 2 * 3
PYTHON
then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: what bench writes"; fi
if python3 - "$pykc" <<'PYTHON'
import os, pty, subprocess, sys
command = [sys.argv[1], "bench", "vecadd.pyk::vecadd", "--sizes", "1000", "--device", "cpu", "--seconds", "0.001"]
master, slave = pty.openpty()
on_terminal = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=slave)
os.close(slave)
bar = os.read(master, 65536).decode()
assert on_terminal.returncode == 0 and "2/3 size 1000, block 256" in bar and bar.endswith("\r\x1b[K"), repr(bar)
assert subprocess.run(command, capture_output=True).stderr == b"", "a bar where there is no terminal"
PYTHON
then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: the bar of bench"; fi
expect 0 "map_hypot(out: f32[:], x: f32[:], y: f32[:]) on cpu" bash -c 'bench "$0"/examples/scalar_functions.pyk --sizes 100 --sig "map_hypot(f32[:], f32[:], f32[:])"' "$source_dir"
expect 1 "did you mean \`vecadd\`?" bash -c 'bench vecadd.pyk::vecad'
expect 1 "to compile it: \`map_hypot(TYPE, TYPE, TYPE)\`" bash -c 'bench "$0"/examples/scalar_functions.pyk::map_hypot' "$source_dir"
expect 1 "; add --arg alpha=VALUE --arg beta=VALUE" bash -c 'bench "$0"/examples/gemv.pyk::gemv_shared' "$source_dir"
expect 1 "block 2048: kernel \`vecadd\`: the block (2048, 1, 1) is larger" bash -c 'bench vecadd.pyk --sizes 100 --blocks 64,2048'
expect 1 "index 50 is out of bounds for \`x\` of shape (50,)" bash -c 'bench vecadd.pyk --sizes 100 --shape x=50'
expect 1 "need more memory than" bash -c 'bench vecadd.pyk --sizes 1e13'
expect 1 "cannot write /nonexistent/b.csv" bash -c 'bench vecadd.pyk --sizes 100 --csv /nonexistent/b.csv'
expect 2 "no whole number" bash -c 'bench vecadd.pyk --sizes 1e4,many'
expect 2 "NAME=VALUE" bash -c 'bench vecadd.pyk --arg n'
expect 2 "FILE::KERNEL is required" "$pykc" bench
expect 0 "--blocks TEXT" "$pykc" bench --help

# Warnings: on, off, errors; one of them silenced.
printf 'from pykc import *\n\n\n@kernel\ndef k(x: f32[:]):\n    unused = x[0]\n' > warns.pyk
expect 0 "warning W0505" "$pykc" check warns.pyk
expect 0 "" "$pykc" check warns.pyk --warnings=off
if [ -n "$("$pykc" check warns.pyk -W no-W0505 2>&1)" ]; then failed=$((failed + 1)); echo "FAILED: -W no-W0505 silences"; else passed=$((passed + 1)); fi
expect 1 "error W0505" "$pykc" check warns.pyk --warnings=error
expect 1 "error W0505" "$pykc" compile warns.pyk --warnings error -o -
expect 0 ".visible .entry k" "$pykc" compile warns.pyk --warnings error -W no-W0505 -o -
expect 2 "no-CODE" "$pykc" check warns.pyk -W W0505
expect 2 "no-CODE" "$pykc" check warns.pyk -W no-W9999
expect 2 "--warnings" "$pykc" check warns.pyk --warnings=loud

# What is wrong in an imported file is reported there; a cycle with its way.
mkdir -p pkg
printf 'from .b import f\n' > pkg/a.pyk
printf 'from pykc import *\n\n\n@device\ndef f(x: f32):\n    return x + y\n' > pkg/b.pyk
printf 'from pykc import *\nfrom pkg.a import f\n\n\n@kernel\ndef k(x: f32[:]):\n    x[0] = f(x[0])\n' > importer.pyk
expect 1 "pkg/b.pyk:6:16: error E0201" "$pykc" check importer.pyk
printf 'from pykc import *\n\n\n@device\ndef f(x: f32):\n    if threadIdx.x > 3:\n        syncthreads()\n    return x\n' > pkg/b.pyk
expect 0 "pkg/b.pyk:7:9: warning W0550" "$pykc" check importer.pyk
printf 'import pkg.d\n' > pkg/c.pyk
printf 'import pkg.c\n' > pkg/d.pyk
printf 'import pkg.c\n' > importer.pyk
expect 1 '`pkg.c` imports `pkg.d` imports `pkg.c`' "$pykc" check importer.pyk
expect 1 "pkg/d.pyk:1:8: error E0211" "$pykc" check importer.pyk

# A file of a package starts where the outermost package lies, from whatever folder it is named.
mkdir -p package/inner
touch package/__init__.pyk package/inner/__init__.pyk
printf 'from pykc import *\n\n\n@device\ndef twice(x):\n    return 2 * x\n' > package/base.pyk
printf 'from pykc import *\nfrom ..base import twice\n\n\n@test\ndef test_twice():\n    assert twice(2) == 4\n' > package/inner/user.pyk
expect 0 "1 passed, 0 failed" "$pykc" test package --device cpu
expect 0 "1 passed, 0 failed" "$pykc" test package/inner/user.pyk --device cpu
expect 0 "" "$pykc" check package/inner/user.pyk
(cd package/inner && expect 0 "1 passed, 0 failed" "$pykc" test user.pyk --device cpu; exit $failed) || failed=$((failed + 1))

# Files beside a program are found from every folder.
expect 0 "spread" "$pykc" run "$source_dir/examples/equalize.pyk" --device cpu

# A checked build, by the option and by the comment.
printf 'from pykc import *\n\n\n@kernel\ndef k(x: f32[:]):\n    x[len(x)] = 1.0\n\n\ndef main():\n    k[1, 1](zeros(3, dtype=f32))\n' > outside.pyk
expect 1 "outside.pyk:6: index 3 is out of bounds for \`x\` of shape (3,)" "$pykc" run outside.pyk --checked --device cpu
(echo '# pykc: checked'; cat outside.pyk) > commented.pyk
expect 1 "commented.pyk:7: index 3 is out of bounds" "$pykc" run commented.pyk --device cpu
expect 0 "pykc_fault" "$pykc" compile outside.pyk --checked -o -

# What is no regular file is not waited for, and a header is read before what it announces.
mkfifo pipe.pyk pipe.npy
expect 1 "cannot read pipe.pyk: it is no regular file" "$pykc" check pipe.pyk
expect 1 "cannot read /dev/zero: it is no regular file" "$pykc" check /dev/zero
printf 'from pipe import x\n' > imports_pipe.pyk
expect 1 "the import of \`pipe\` failed: cannot read pipe.pyk: it is no regular file" "$pykc" check imports_pipe.pyk
truncate -s 30G large.pyk
expect 1 "E0101: the file is larger than 67108864 bytes" "$pykc" check large.pyk
printf 'def main():\n    print(load("pipe.npy"))\n' > loads_pipe.pyk
expect 1 "it is no regular file" "$pykc" run loads_pipe.pyk --device cpu
truncate -s 30G large.npy
printf 'def main():\n    print(load("large.npy"))\n' > loads_large.pyk
expect 1 "NumPy's magic word" "$pykc" run loads_large.pyk --device cpu
# A link may not lead out of the folder; one inside may.
mkdir -p linked/inner elsewhere
printf 'def twice(x):\n    return 2 * x\n' | tee elsewhere/secret.pyk > linked/inner/shown.pyk
ln -s ../elsewhere/secret.pyk linked/secret.pyk
ln -s inner/shown.pyk linked/shown.pyk
printf 'from secret import twice\n' > linked/out.pyk
printf 'from shown import twice\n' > linked/in.pyk
expect 1 "secret" "$pykc" check linked/out.pyk
expect 0 "" "$pykc" check linked/in.pyk
# Output that does not arrive is a failure, and leaves no half of a file.
expect 1 "No space left on device" bash -c '"$0" builtins > /dev/full' "$pykc"
expect 1 "No space left on device" bash -c '"$0" compile vecadd.pyk -o - > /dev/full' "$pykc"
expect 1 "cannot write small.ptx" bash -c 'ulimit -f 1; trap "" XFSZ; "$0" compile vecadd.pyk --emit llvm -o small.ptx' "$pykc"
[ ! -e small.ptx ] || { failed=$((failed + 1)); echo "FAILED: half of small.ptx stays"; }

# What kernels cost, by main and by a launch of one kernel alone. 18 is the mean of a line with 4 and 32.
expect 0 "write \`out\` 8192 bytes apart: 32 sectors of 32 bytes a request, where 4 would do" \
  "$pykc" analyze "$source_dir/examples/transpose.pyk"
expect 0 "18.0/ 4.0" "$pykc" analyze "$source_dir/examples/transpose.pyk::transpose_naive" --size 1048576 --block 32x8 \
  --tile 32x32 --ptxas "" --json costs.json
expect 0 "'sectors': 32" python3 -c 'import json
store = [a for a in json.load(open("costs.json"))[0]["accesses"] if a["kind"] == "store"][0]
print({"sectors": store["sectors"] // store["requests"]})'
expect 0 "limited by" "$pykc" analyze vecadd.pyk --html costs.html
expect 0 '["st.global.b32' cat costs.html
expect 1 "No such file" "$pykc" analyze vecadd.pyk --html none/costs.html
# Warnings that a run refutes are not told.
cat > fits.pyk <<'EOF'
from pykc import *


@kernel
def fits(out: f32[:], x: f32[:]):
    i = grid(1)
    out[i] = x[i]


@kernel
def apart(out: f32[:, :]):
    i, j = grid(2)
    if i < out.shape[0] and j < out.shape[1]:
        out[i, j] = 1


def main(elements: int = 64, width: int = 1):
    fits[1, 64](zeros(64, f32), zeros(elements, f32))
    apart[(32 // width, width), (width, 32 // width)](zeros((32, 32), f32))
EOF
expect 0 "fits.pyk:7:14: warning W0509" "$pykc" check fits.pyk
expect 0 "fits.pyk:14:9: warning W0510" "$pykc" check fits.pyk
expect 0 "refuted" bash -c '! "$0" analyze fits.pyk 2>&1 | grep warning && echo refuted' "$pykc"
expect 0 "fits.pyk:7:14: warning W0509" "$pykc" analyze fits.pyk 63
expect 0 "fits.pyk:14:9: warning W0510" "$pykc" analyze fits.pyk 64 32
cat > two_rows.pyk <<'PYK'
from pykc import *


@kernel
def two_rows(out: u32[:, :], x: i32[:]):
    i = grid(1)
    if i < len(x):
        out[1, i] = u32(x[i])
PYK
expect 1 "two_rows.pyk:8: index 3" "$pykc" analyze two_rows.pyk::two_rows --size 1000
expect 1 "two_rows.pyk:8: index 3" "$pykc" bench two_rows.pyk::two_rows --sizes 1000
expect 0 "two_rows(out" "$pykc" analyze two_rows.pyk::two_rows --size 1000 --shape out=2x1000
expect 2 "there is no chip" "$pykc" analyze vecadd.pyk --chip H900
expect 1 "nothing launches kernel \`none\`" "$pykc" analyze vecadd.pyk::none

# An entry of the cache that stands under another's name is not used, nor is a folder that others may write.
PYKC_CACHE_DIR=$work/keys "$pykc" run vecadd.pyk --device cpu >/dev/null
sed 's/x\[i\] + y\[i\]/x[i] - y[i]/; s/assert.*/pass/' vecadd.pyk > vecsub.pyk
PYKC_CACHE_DIR=$work/keys "$pykc" run vecsub.pyk --device cpu >/dev/null 2>&1
entries=("$work"/keys/llvmcache-*)
cp "${entries[0]}" kept_entry && cp "${entries[1]}" "${entries[0]}" && cp kept_entry "${entries[1]}"
PYKC_CACHE_DIR=$work/keys expect 0 "on cpu" "$pykc" run vecadd.pyk --device cpu
mkdir -m 777 shared_cache
PYKC_CACHE_DIR=$work/shared_cache "$pykc" run vecadd.pyk --device cpu >/dev/null
[ -z "$(ls shared_cache)" ] || { failed=$((failed + 1)); echo "FAILED: a cache that others may write is used"; }

# Every diagnostic of the catalogue explains itself, with an example of each kind.
while read -r code _; do
  text=$("$pykc" explain "$code")
  [[ $text == *Wrong:* && $text == *Right:* ]] || { failed=$((failed + 1)); echo "FAILED: explain $code has no Wrong:/Right: example"; }
done < <("$pykc" explain | grep -E '^[EW][0-9]{4}')

# Documents that the program or the tree makes.
"$pykc" builtins --format markdown > builtins.md
same "docs/builtins.md is out of date: pykc builtins --format markdown > docs/builtins.md" builtins.md "$source_dir/docs/builtins.md"
"$pykc" builtins --host --format markdown > host.md
same "docs/host.md is out of date: pykc builtins --host --format markdown > docs/host.md" host.md "$source_dir/docs/host.md"
block() { # the first code block of that language in the README
  awk -v fence='```'"$1" '$0 == fence {inside = 1; next} /^```/ && inside {exit} inside' "$source_dir/README.md"
}
block python > readme.pyk
same "README's kernel is examples/vecadd.pyk" readme.pyk "$source_dir/examples/vecadd.pyk"
block cpp > readme.cpp
same "README's host program is examples/cpp/vecadd.cpp" readme.cpp "$source_dir/examples/cpp/vecadd.cpp"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
