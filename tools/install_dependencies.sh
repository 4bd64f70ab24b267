#!/usr/bin/env bash
# Installs the Debian packages lbsp is built from; the one list of them. Does nothing if all are there.
#   tools/install_dependencies.sh           what building needs
#   tools/install_dependencies.sh --tests   and what the tests need besides
#   tools/install_dependencies.sh --benchmarks   what building and benchmarks/wan need
#   tools/install_dependencies.sh --packages     what Debian's packages of lbsp are made and tried with
#   tools/install_dependencies.sh --site         what the site of docs/ is made with
set -euo pipefail

build_packages=(
  g++ cmake ninja-build pkg-config
  libboost-dev libuv1-dev libopenblas-dev libfftw3-dev libcli11-dev libfmt-dev nlohmann-json3-dev libsodium-dev
  libisal-dev
  libgtest-dev libgmock-dev libbenchmark-dev
)
test_packages=(
  iproute2 iputils-ping libopenmpi-dev libpmix-dev openmpi-bin openssh-client openssh-server python3-numpy gnuplot-nox
  clang libclang-rt-14-dev
  libopen-trace-format2-dev otf2-tools python3-jsonschema chromium
  abigail-tools help2man zsh
)
package_packages=(debootstrap dpkg-dev help2man libopenmpi-dev lintian man-db)
site_packages=(doxygen doxygen-awesome-css python3)
# What lbsp is faster with: sealing, several times.
optional_packages=()
if [[ $(dpkg --print-architecture 2>/dev/null) == amd64 ]]; then optional_packages=(libipsec-mb-dev); fi
benchmark_packages=(
  gnuplot-nox iperf3 iproute2 iputils-ping libopenmpi-dev libsrt-openssl-dev libudt-dev openmpi-bin python3
)

fail() {
  echo "lbsp: $1" >&2
  exit 1
}

wanted=("${build_packages[@]}")
case "${1-}" in
  "") ;;
  --tests) wanted+=("${test_packages[@]}") ;;
  --benchmarks) wanted+=("${benchmark_packages[@]}") ;;
  --packages) wanted+=("${package_packages[@]}") ;;
  --site) wanted+=("${site_packages[@]}") ;;
  *) fail "unknown argument '$1': give none, --tests, --benchmarks, --packages or --site" ;;
esac

is_installed() { [[ $(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  fail "no apt-get here to install packages with: install what Debian 12 calls ${wanted[*]}, then cmake --preset release && cmake --build --preset release"
fi

missing=()
for package in "${wanted[@]}"; do
  is_installed "$package" || missing+=("$package")
done
absent=()
for package in "${optional_packages[@]}"; do
  is_installed "$package" || absent+=("$package")
done
if ((${#missing[@]} + ${#absent[@]} == 0)); then exit 0; fi

if ((EUID == 0)); then
  as_root=(env)
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  as_root=(sudo -n env)
elif ((${#missing[@]} == 0)); then
  exit 0
else
  fail "missing packages, and installing them needs root: sudo apt-get install --no-install-recommends ${missing[*]} ${absent[*]}"
fi

had_ssh_server=true
is_installed openssh-server || had_ssh_server=false

echo "installing ${missing[*]} ${absent[*]}"
# With SYSTEMD_OFFLINE the packages' scripts start no service: the tests start their own ssh server.
apt_get=("${as_root[@]}" DEBIAN_FRONTEND=noninteractive SYSTEMD_OFFLINE=1 apt-get -qq -o DPkg::Lock::Timeout=300)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install=("${apt_get[@]}" install -y --no-install-recommends)
if ((${#missing[@]} > 0)) && ! { "${apt_get[@]}" update && "${install[@]}" "${missing[@]}"; } >"$log" 2>&1; then
  cat "$log" >&2
  fail "apt-get did not install the packages: see its messages above"
fi
if ((${#absent[@]} > 0)) && ! "${install[@]}" "${absent[@]}" >"$log" 2>&1; then
  echo "going on without ${absent[*]}, which apt-get does not find: lbsp is slower without"
fi

# Nor does a server that came only for the tests start with the machine.
if [[ $had_ssh_server == false && " ${missing[*]} " == *" openssh-server "* ]] && command -v systemctl >/dev/null; then
  "${as_root[@]}" systemctl disable --quiet ssh.service >/dev/null 2>&1 || true
fi
