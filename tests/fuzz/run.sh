#!/usr/bin/env bash
# Builds libFuzzer's targets and lets each run for a while, as many at a time as there are processors.
#   tests/fuzz/run.sh                        ten seconds each
#   tests/fuzz/run.sh --seconds 600 wire     ten minutes of one target
#   LBSP_FUZZ_SEED=0 tests/fuzz/run.sh       other inputs in each run; else they are the same for the same code
# Exits with 1 if an input breaks a target, and says where it is kept; docs/contributing.md tells what to do with it. Does
# nothing where there is no clang with libFuzzer.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
cd "$here/../.."

seconds=10
if [[ ${1-} == --seconds ]]; then
  seconds=${2-}
  shift 2 || true
fi
[[ $seconds =~ ^[1-9][0-9]*$ ]] || {
  echo "lbsp: --seconds '$seconds': choose a whole number of at least 1" >&2
  exit 2
}

main='extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
if ! clang++ -fsanitize=fuzzer,address -x c++ -o /dev/null - <<<"$main" 2>/dev/null; then
  echo "fuzz targets skipped: no clang++ with libFuzzer here (Debian: clang, libclang-rt-14-dev)"
  exit 0
fi

targets=("$@")
if ((${#targets[@]} == 0)); then
  for folder in "$here"/corpus/*/; do targets+=("$(basename "$folder")"); done
fi
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "${targets[@]/#/fuzz_}" >build-fuzz/build.log 2>&1 || {
  cat build-fuzz/build.log >&2
  exit 1
}

# fuzz TARGET: what it finds that is new is kept in build-fuzz, what breaks it too.
fuzz() {
  local found=build-fuzz/corpus/$1 log=build-fuzz/$1.log
  mkdir -p "$found"
  if build-fuzz/bin/fuzz_"$1" -seed="${LBSP_FUZZ_SEED:-1}" -max_total_time="$SECONDS_EACH" -timeout=20 -rss_limit_mb=1024 -malloc_limit_mb=256 \
    -artifact_prefix="build-fuzz/$1-" "$found" tests/fuzz/corpus/"$1" >"$log" 2>&1; then
    echo "fuzz $1: $(grep -a DONE "$log" | cut -f 1 | tr -d '#') inputs, none breaks it"
  else
    grep -aE "does not hold|runtime error|ERROR|terminate|what\(\)|#[0-9]+ .* lbsp::|Test unit|oom|timeout" "$log" | head -n 40 >&2
    echo "lbsp: the fuzz target $1 is broken by an input: see above, and docs/contributing.md" >&2
    return 1
  fi
}
export -f fuzz
printf '%s\n' "${targets[@]}" | SECONDS_EACH=$seconds xargs -P "$(nproc)" -I{} bash -c 'fuzz {}'
