#!/usr/bin/env bash
# Installs the build into an empty folder, and uses what lies there as a stranger does: a project by find_package, a
# program by pkg-config.
# usage: install_test.sh BUILD_DIR
set -euo pipefail
build=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
documents=$prefix/share/doc/pykc
project=$work/project  # a copy: it is changed on the way
cp -r "$(dirname "$0")/project" "$project"
export PYKC_CACHE=off
step() { printf '== %s\n' "$*"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

step "install"
cmake --install "$build" --prefix "$prefix" >"$work/log" 2>&1 || { cat "$work/log"; fail "cmake --install"; }
"$prefix/bin/pykc" --version

step "public headers"  # tests/headers compiles each
diff -r "$source_dir/include" "$prefix/include" || fail "other headers are installed than the source has"

step "find_package"
cmake -S "$project" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build "$work/build"
"$work/build/compile_and_run" "$project/scale.pyk"
"$prefix/bin/pykc" compile "$project/scale.pyk" --target cpu --emit artifact -o "$work/scale.pykc"
"$work/build/load_and_run" "$work/scale.pykc"
version=$("$prefix/bin/pykc" --version)
from_c=$("$work/build/from_c" "$work/scale.pykc")
[ "$from_c" = "${version%% (*}: scale(x: f32[:], a: f32)" ] || fail "pykc.h: $from_c"
has_llvm() { [ "$(nm "$work/build/$1" | grep -c ' _ZN4llvm')" -gt 0 ]; }
has_llvm compile_and_run || fail "LLVM's names are not seen where they are"
for program in load_and_run from_c embedded; do
  if has_llvm "$program"; then fail "$program links pykc::runtime alone, and contains LLVM"; fi
done

step "shared libraries"
"$work/build/compile_and_run_shared" "$project/scale.pyk"
"$work/build/load_and_run_shared" "$work/scale.pykc"
[ "$("$work/build/from_c_shared" "$work/scale.pykc")" = "$from_c" ] || fail "pykc.h by the shared library"
"$work/build/embedded_shared"
"$work/build/two_libraries" || fail "kernels of two files of one name"
for program in compile_and_run_shared load_and_run_shared from_c_shared embedded_shared; do
  if has_llvm "$program"; then fail "$program links a shared library, and contains LLVM"; fi
done
nm -D --defined-only "$work/build/libplugin.so" >"$work/log"
grep launch_file "$work/log" || fail "the plugin shows nothing"
if grep -E ' (_ZN4llvm|LLVM|ZSTD|inflate|pykc_)' "$work/log"; then fail "the plugin shows what its archives have"; fi

step "pykc_add_kernels"
expect_output() {
  local output
  output=$(cd / && env -u HOME "$work/build/embedded")
  echo "$output"
  [ "$output" = "$1" ] || fail "expected $1"
}
expect_output "6.25 | 4 12 7 8 1 4000 9 | 2.5"
sed -i 's/return x \* a/return x + a/' "$project/factor.pyk"  # which kernels.pyk imports
grep "Compiling the kernels" < <(cmake --build "$work/build") || fail "an imported file changed, and nothing was compiled"
expect_output "5.75 | 4 12 7 8 1 4000 9 | 2.5"
grep "no work to do" < <(cmake --build "$work/build") || fail "nothing changed, and something was compiled"
for wrong in DOUBLE_FOR_FLOAT SCALAR_FOR_ARRAY OTHER_ELEMENTS OTHER_RECORD TOO_FEW; do
  if cmake --build "$work/build" --target "wrong_$wrong" >"$work/log" 2>&1; then fail "$wrong compiles"; fi
  grep -q "embedded.cpp.*error" "$work/log" || { cat "$work/log"; fail "$wrong: an error, but another"; }
done

step "pkg-config"
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
if command -v pkg-config >/dev/null; then
  # shellcheck disable=SC2046
  build_by_pkg_config() { # build_by_pkg_config PROGRAM PACKAGE
    g++ -std=c++20 "$project/$1.cpp" $(pkg-config --cflags --libs "$2") -o "$work/$1"
  }
  build_by_pkg_config load_and_run pykc-runtime
  "$work/load_and_run" "$work/scale.pykc"
  build_by_pkg_config compile_and_run pykc-compiler
  "$work/compile_and_run" "$project/scale.pyk"
  # C, linked as C++ is.
  gcc -std=c99 -Wall -Wextra -Werror -pedantic $(pkg-config --cflags pykc-compiler) -c "$documents/examples/c/vecadd.c" \
    -o "$work/vecadd.o"
  g++ "$work/vecadd.o" $(pkg-config --libs pykc-compiler) -o "$work/vecadd"
  "$work/vecadd" "$documents/examples/vecadd.pyk" cpu
  gcc "$work/vecadd.o" $(pkg-config --libs pykc-compiler-shared) -Wl,-rpath,"$prefix/lib" -o "$work/vecadd"
  "$work/vecadd" "$documents/examples/vecadd.pyk" cpu
else
  echo "pkg-config is not installed"
fi

step "Debian package"
if command -v dpkg-shlibdeps >/dev/null; then
  (cd "$build" && cpack -B "$work/package") >"$work/log" 2>&1 || { cat "$work/log"; fail "cpack"; }
  dpkg-deb --info "$work"/package/*.deb | grep -E '^ (Package|Version|Depends):'
  diff <(cd "$prefix" && find . ! -type d | sort) \
    <(dpkg-deb --fsys-tarfile "$work"/package/*.deb | tar -t | sed -n 's|^\./usr/\(.*[^/]\)$|./\1|p' | sort) ||
    fail "the package has other files than cmake --install"
else
  echo "dpkg-dev is not installed"
fi
