#!/usr/bin/env bash
# From a fresh clone to a run: installs what is missing, builds the commands and what lbspc++ links, and multiplies two
# matrices on four ranks over UDP that loses one datagram in ten. Further arguments go to the matmul program.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

tools/install_dependencies.sh
cmake --preset release >/dev/null
cmake --build --preset release --target lbsp bitonic_sort dataflow fft2d jacobi matmul lbsp_wrappers

job=(build/bin/lbsp run -n 4 --wan "loss=10%,rtt=20ms" -- matmul --size 1024 "$@")
echo "\$ ${job[*]}"
exec "${job[@]}"
