#!/usr/bin/env bash
# Installs what building and testing pykc needs, from Debian's packages, where it is missing. Debian 12 or later.
# `install-dependencies.sh fuzz` installs what scripts/fuzz.sh needs beside it, `… python` what the Python package needs.
set -euo pipefail

packages=(
  g++ cmake ninja-build                       # the build
  llvm-22-dev libclc-22 lld-22                # code generation, the math functions, a fast linker
  zlib1g-dev libzstd-dev                      # what LLVM's static libraries need
  libcli11-dev libgtest-dev                   # the command line, the tests
  llvm-22-tools python3                       # tests: FileCheck, and reading the JSON that pykc prints
)
[ "${1:-}" != python ] || packages+=(python3-dev python3-venv)
[ "${1:-}" != fuzz ] || packages+=(clang-22 libclang-rt-22-dev)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

sudo=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "pykc: these packages are missing, and only root can install them: ${missing[*]}" >&2; exit 1; }
  sudo=(sudo)
fi
echo "Installing: ${missing[*]}"
"${sudo[@]}" apt-get update -qq
"${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
