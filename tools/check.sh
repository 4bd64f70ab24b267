#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests; CTest's summary comes last.
#   tools/check.sh                the release build
#   tools/check.sh --sanitizers   and all tests again under the address, undefined-behaviour and thread sanitizers
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}

sanitizers=()
case "${1-}" in
  "") ;;
  --sanitizers) sanitizers=(asan tsan) ;;
  *)
    echo "lbsp: unknown argument '$1': give none, or --sanitizers" >&2
    exit 2
    ;;
esac

tools/install_dependencies.sh --tests

cmake --preset release -DLBSP_TESTS=ON -DLBSP_BENCHMARKS=ON >/dev/null
cmake --build --preset release
tools/packaging/check_abi.sh --if-headers-changed
# The soak's jobs wait for their networks most of the time.
tests/soak/soak.py build/bin/lbsp --seconds 60 --longest 150 &
soak=$!
fuzzed=0
tests/fuzz/run.sh --seconds 8 || fuzzed=$?
wait "$soak"
((fuzzed == 0))
# Many tests wait for clocks and networks most of their time.
ctest --preset release --parallel "$((CMAKE_BUILD_PARALLEL_LEVEL + 2))"

for preset in ${sanitizers[@]+"${sanitizers[@]}"}; do
  cmake --workflow --preset "$preset"
done
