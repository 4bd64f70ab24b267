#!/usr/bin/env bash
# Compares the shared libraries of this tree with those of a release: what of a public class or function is gone, or
# has changed, so that programs would have to be linked anew. It needs abidiff (Debian: abigail-tools).
#   tools/packaging/check_abi.sh                      with the last release, if there is one
#   tools/packaging/check_abi.sh v0.1.0               with that one
#   tools/packaging/check_abi.sh --if-headers-changed with the last one, if a public header has changed since
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
work=build-abi

fail() {
  echo "lbsp: $1" >&2
  exit 1
}

only_if_changed=
if [[ ${1-} == --if-headers-changed ]]; then
  only_if_changed=yes
  shift
fi
release=${1:-$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null || true)}
if [[ -z $release ]]; then
  echo "the ABI has no release to be compared with"
  exit 0
fi
git rev-parse -q --verify "$release^{commit}" >/dev/null || fail "no release $release here: git tag shows those there are"
# Layouts come from headers, and so do the symbols that the libraries show.
if [[ -n $only_if_changed ]] && git diff --quiet "$release" -- '*.h' '*.hpp' cmake/public_symbols.map \
    ':!tests' ':!tools' ':!benchmarks'; then
  echo "no public header has changed since $release"
  exit 0
fi
command -v abidiff >/dev/null || fail "no abidiff here: install abigail-tools"

# install_of SOURCE FOLDER: its libraries, with what a debugger reads, and its headers.
install_of() {
  cmake -G Ninja -S "$1" -B "$2/build" -DCMAKE_BUILD_TYPE=Debug -DLBSP_TOOLS=OFF -DLBSP_TESTS=OFF -DLBSP_BENCHMARKS=OFF \
    -DLBSP_SHARED=ON -DCMAKE_INSTALL_LIBDIR=lib >/dev/null
  cmake --build "$2/build" >"$2.log" 2>&1 || { tail -n 40 "$2.log" >&2; fail "$1 does not build: see above"; }
  cmake --install "$2/build" --prefix "$2" >/dev/null
}

rm -rf "$work"
mkdir -p "$work/source"
git archive "$release" | tar -x -C "$work/source"
install_of "$work/source" "$work/before"
install_of . "$work/now"

broken=0
for library in "$work"/before/lib/liblbsp*.so; do
  now="$work/now/lib/$(basename "$library")"
  if [[ ! -e $now ]]; then
    echo "lbsp: ${library##*/} of $release is gone: raise LBSP_ABI in cmake/libraries.cmake" >&2
    broken=1
  elif [[ $(readlink -f "$library" | sed 's/.*\.//') != $(readlink -f "$now" | sed 's/.*\.//') ]]; then
    echo "$(basename "$library") has another number than in $release: it may change"
  else
    status=0
    # What is new breaks nobody.
    abidiff --no-added-syms --drop-private-types --headers-dir1 "$work/before/include" --headers-dir2 "$work/now/include" \
      "$library" "$now" >"$work/difference" 2>&1 || status=$?
    if ((status == 0)); then
      echo "$(basename "$library"): programs linked to that of $release run"
    else
      cat "$work/difference" >&2
      echo "lbsp: programs linked to ${library##*/} of $release break: undo that, or raise LBSP_ABI in cmake/libraries.cmake" >&2
      broken=1
    fi
  fi
done
exit "$broken"
