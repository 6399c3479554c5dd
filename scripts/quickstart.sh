#!/usr/bin/env bash
# Installs what is missing, builds pykc, and runs its first kernel: on the GPU if there is one, else on the CPU.
set -euo pipefail
cd "$(dirname "$0")/.."
./scripts/install-dependencies.sh
./scripts/build.sh release
build/release/bin/pykc run examples/vecadd.pyk
