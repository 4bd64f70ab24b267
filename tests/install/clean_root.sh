#!/usr/bin/env bash
# The packages work in a Debian that has nothing else: makes such a root in a folder of its own, installs them there, and
# lets the projects of installed_test.py be built and run in it. Takes root, debootstrap and Debian's archive.
#   tests/install/clean_root.sh build-package
set -euo pipefail
source=$(readlink -f "$(dirname "$0")/../..")
packages=$(readlink -f "${1?which folder has the packages}")
root=$(mktemp -d)
chmod 755 "$root"
trap 'rm -rf "$root"' EXIT

lintian --allow-root --fail-on error,warning "$packages"/*.deb
# The archive that this machine uses.
archive=$(apt-get indextargets --format '$(SITE)' | sort -u | head -n 1)
debootstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$root" "$archive" >"$root.log" 2>&1 || {
  tail -n 5 "$root.log" >&2
  exit 1
}
rm -f "$root.log"
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
mkdir -p "$root/packages" "$root/source/tests"
cp "$packages"/*.deb "$root/packages/"
cp "$source/README.md" "$root/source/"
cp -r "$source/tests/install" "$root/source/tests/"
# The mounts end with the processes in here.
unshare --mount --pid --fork chroot "$root" bash -euc '
  mount -t proc proc /proc
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -q >/dev/null
  apt-get install -q -y --no-install-recommends /packages/lbsp_*.deb >/dev/null
  lbsp run -n 4 --wan loss=10%,rtt=5ms -- matmul --size 256 --verify
  apt-get install -q -y --no-install-recommends /packages/*.deb cmake g++ make man-db pkgconf python3 >/dev/null
  python3 /source/tests/install/installed_test.py cmake --prefix /usr /source
  lbsp --version | grep -q "mpi$"
  man -w lbsp-run bsp_sync >/dev/null
'
echo "the packages work in a clean root"
