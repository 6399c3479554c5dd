#!/usr/bin/env bash
# Measures the configurations of the library's kernels on a device, and prints the rows of stdlib/tuned.def for it:
#   scripts/tune-library.sh build/release/bin/pykc --device cuda:0 [LARGEST]
# It needs the program `pykc`, and tune_library.pyk beside this script. LARGEST: elements of an array, 2^28 if not given.
set -euo pipefail
[ $# -ge 3 ] && [ "$2" = --device ] || { sed -n 2,4p "$0" >&2; exit 2; }
output=$(PYKC_AUTOTUNE=record PYKC_CACHE=off "$1" run "$(dirname "$0")/tune_library.pyk" "${@:2}" 2>&1) ||
  { echo "$output" >&2; exit 1; }
driver=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -1) || driver=
echo "// $("$1" info | grep "^$3: ")${driver:+, driver $driver}, $(date -u +%Y-%m-%d), by scripts/tune-library.sh."
# Neighbouring rows that agree become those at the ends; arrays so small that the launch takes all the time have none.
grep '^TUNED' <<<"$output" | sort -V | awk -F'"' '
  $8 ~ /x/ || $8 >= 1024 { row[++n] = $0; kernel[n] = $2 $4 $6; choice[n] = $2 $4 $6 $10 }
  END { for (i = 1; i <= n; i++)
          if (choice[i] != choice[i + 1] || (kernel[i] == kernel[i - 1] && choice[i] != choice[i - 1])) print row[i] }'
