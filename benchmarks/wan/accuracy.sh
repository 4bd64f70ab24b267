#!/usr/bin/env bash
# How exactly `lbsp wan` is the network it is told to be, measured by other tools on its virtual hosts, as a table with
# a verdict for each figure; and how many packets a second the router moves on one core. Four minutes, as root.
#   benchmarks/wan/accuracy.sh [LBSP]      LBSP: build/bin/lbsp if not given; udp_flow must be beside it
# Exit code 0 only if all pass. Needs iperf3, ping and python3: tools/install_dependencies.sh --benchmarks.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/../.."
lbsp=$(readlink -f "${1:-build/bin/lbsp}")

for tool in iperf3 ping python3; do
  if ! command -v "$tool" >/dev/null; then
    echo "lbsp: $tool is missing: tools/install_dependencies.sh --benchmarks" >&2
    exit 1
  fi
done
if [[ ! -x $lbsp ]]; then
  echo "lbsp: no command $lbsp: build it, or give its path" >&2
  exit 1
fi
udp_flow=$(dirname "$lbsp")/udp_flow
if [[ ! -x $udp_flow ]]; then
  echo "lbsp: no program $udp_flow: build it with -DLBSP_BENCHMARKS=ON" >&2
  exit 1
fi
bed=accuracy-$$
trap '"$lbsp" wan down --name "$bed" 2>/dev/null || true' EXIT
trap 'exit 1' HUP INT TERM  # or it would end without the above
python3 benchmarks/wan/accuracy.py "$lbsp" "$udp_flow" "$bed"
