#!/usr/bin/env bash
# Installs what is missing, builds everything and runs all tests; CTest's summary comes last.
#   tools/check.sh                the release build
#   tools/check.sh --sanitizers   and all tests again under the address, undefined-behaviour and thread sanitizers, and
#                                 libFuzzer on whatever comes from outside
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

ccache_has_files() {
  command -v ccache >/dev/null && [[ -z ${CCACHE_DISABLE+set} ]] && ccache --print-stats | grep -q '^files_in_cache.*[1-9]'
}

tools/install_dependencies.sh --tests

# In a new folder, with nothing in a compiler cache, headers that are compiled once and more files together save more than
# a cache that is only filled.
how=()
if [[ ! -e build/CMakeCache.txt ]] && ! ccache_has_files; then
  export CCACHE_DISABLE=1
  how=(-DLBSP_FILES_TOGETHER=24)
fi
cmake --preset release -DLBSP_TESTS=ON -DLBSP_BENCHMARKS=ON ${how[@]+"${how[@]}"} >/dev/null
# The soak's jobs wait for their networks most of the time, so they run while the tests are compiled.
cmake --build --preset release --target lbsp bitonic_sort fft2d jacobi matmul
tests/soak/soak.py build/bin/lbsp --seconds 60 --longest 150 &
soak=$!
built=0
cmake --build --preset release || built=$?
wait "$soak"
((built == 0))
tools/packaging/check_abi.sh --if-headers-changed
# Many tests wait for clocks and networks most of their time.
ctest --preset release --parallel "$((CMAKE_BUILD_PARALLEL_LEVEL + 5))"

if ((${#sanitizers[@]} > 0)); then tests/fuzz/run.sh --seconds 8; fi
for preset in ${sanitizers[@]+"${sanitizers[@]}"}; do
  cmake --workflow --preset "$preset"
done
