#!/usr/bin/env bash
# Makes a release of what is committed: checks it, writes lbsp-VERSION.tar.xz and its checksums into build-release/,
# builds and tries what is in it, and tags the commit. It pushes nothing.
#   tools/packaging/release.sh            all of that
#   tools/packaging/release.sh --no-tag   all but the tag
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
work=build-release

fail() {
  echo "lbsp: $1" >&2
  exit 1
}

case "${1-}" in
  "" | --no-tag) ;;
  *) fail "unknown argument '$1': give none, or --no-tag" ;;
esac
version=$(sed -n 's/^project(lbsp VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[[ $(grep -m 1 '^## ' CHANGELOG.md) == "## $version" ]] || fail "CHANGELOG.md does not begin with $version: say there what changed"
[[ -z $(git status --porcelain) ]] || fail "there are changes that are not committed: commit them"
[[ ${1-} == --no-tag || -z $(git tag --list "v$version") ]] || fail "the tag v$version is there already: raise the version in CMakeLists.txt"
tools/packaging/check_abi.sh

rm -rf "$work"
mkdir -p "$work"
git archive --prefix="lbsp-$version/" HEAD | xz -T0 >"$work/lbsp-$version.tar.xz"
(cd "$work" && sha256sum "lbsp-$version.tar.xz" >sha256 && sha512sum "lbsp-$version.tar.xz" >sha512)
tar -xf "$work/lbsp-$version.tar.xz" -C "$work"
# As whoever packages it does: nothing but what is in it.
cmake -G Ninja -S "$work/lbsp-$version" -B "$work/build" -DCMAKE_BUILD_TYPE=Release -DLBSP_TESTS=OFF -DLBSP_BENCHMARKS=OFF >/dev/null
cmake --build "$work/build"
cmake --install "$work/build" --prefix "$work/installed" >/dev/null
[[ $("$work/installed/bin/lbsp" --version | head -n 1) == *"$version"* ]] || fail "the installed command has another version than $version"
"$work/installed/bin/lbsp" run -n 4 --wan loss=10%,rtt=2ms -- matmul --size 200 --verify

if [[ ${1-} != --no-tag ]]; then
  git tag -a "v$version" -m "lbsp $version"
  echo "tagged v$version"
fi
cat "$work/sha256"
