#!/usr/bin/env bash
# Calls the C API of a shared library from Python's ctypes and from Rust, where these are installed.
# usage: languages_test.sh LIBPYKC.SO
set -euo pipefail
library=$(readlink -f "$1")
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 ctypes_test.py "$library" || { echo "FAILED: ctypes"; exit 1; }
if command -v rustc >/dev/null; then
  ln -s "$library" "$work/libpykc.so"
  rustc --edition 2021 -D warnings -L "native=$work" -C "link-arg=-Wl,-rpath,$(dirname "$library")" -o "$work/rust_test" rust_test.rs
  "$work/rust_test" || { echo "FAILED: Rust"; exit 1; }
else
  echo "rustc is not installed"
fi
