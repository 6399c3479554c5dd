#!/usr/bin/env bash
# The layers of docs/architecture.md, held against the #include lines: a folder includes only what its row names. And the
# sizes from which on a folder or a header becomes hard to find one's way in.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A may=(
  [include/pykc]="pykc"
  [stdlib]="stdlib"
  [base]="pykc base"
  [runtime]="pykc base runtime"
  [ir]="pykc stdlib base ir"
  [frontend]="pykc stdlib base ir frontend"
  [codegen]="pykc stdlib base ir codegen"
  [driver]="pykc stdlib base ir frontend codegen driver"
  [jit]="pykc base frontend driver jit stdlib"
  [capi]="pykc.h pykc base capi"
  [python]="pykc base insight python"
  [script]="pykc stdlib base frontend driver jit script"
  [measure]="pykc base ir frontend driver jit measure"
  [insight]="pykc stdlib base measure insight"
  [cli]="pykc stdlib base frontend driver script measure insight cli"
)
failed=0
for folder in "${!may[@]}"; do
  while IFS=: read -r file line include; do
    first=${include#*\"}
    first=${first%%/*}
    [[ " ${may[$folder]} " == *" $first "* ]] && continue
    echo "$file:$line: $folder may not include $include (it may: ${may[$folder]})"
    failed=1
  done < <(grep -rnoE '^#include "[^"]+' --include='*.h' --include='*.cpp' "$folder" | sed 's/#include //')
done

# The rooms of host code: each includes those before it.
rooms=()
for room in values arithmetic functions launch evaluate; do
  rooms+=("$room")
  while IFS=: read -r file line include; do
    first=${include#*\"script/}
    first=${first%%/*}
    [[ $first == script.h ]] && continue  # the face of all of it
    [[ " ${rooms[*]} " == *" $first "* ]] && continue
    echo "$file:$line: script/$room may not include $include (it may: ${rooms[*]})"
    failed=1
  done < <(grep -rnoE '^#include "script/[^"]+' --include='*.h' --include='*.cpp' "script/$room" | sed 's/#include //')
done

# LLVM shows in code generation, in its build tool, and where the compile cache uses its hash and files, and a
# compilation its stacks.
while IFS= read -r file; do
  case $file in codegen/*|driver/artifact_cache.cpp|tools/*|tests/*) ;; *) echo "$file includes LLVM"; failed=1 ;; esac
done < <(grep -rlE '#include [<"]llvm/' --include='*.h' --include='*.cpp' . --exclude-dir=build --exclude-dir=.git | sed 's|^\./||')

# Sizes.
while read -r count folder; do
  ((count <= 25)) && continue
  echo "$folder: $count files of C++ side by side; at most 25, so make rooms"
  failed=1
done < <(find "${!may[@]}" -name '*.cpp' -printf '%h\n' | sort | uniq -c)
while read -r lines header; do
  ((lines <= 150)) || [[ $header == total ]] && continue
  echo "$header: $lines lines; at most 150 for a header of the checker, so split it by subject"
  failed=1
done < <(find frontend/check -name '*.h' -exec wc -l {} +)
exit $failed
