#!/usr/bin/env bash
# The main job over the grid of ranks × loss × copies × recovery, through the real command: every run must exit 0 and
# be verified. Small matrices where everything is sent again on any loss: a long message never gets through whole.
#   main_job_matrix.sh LBSP           one run of each scheme at each number of ranks
#   main_job_matrix.sh LBSP --full    all 144
set -euo pipefail
lbsp=$1
full=${2-}
report=$(mktemp)
trap 'rm -f "$report"' EXIT
runs=0

run() {
  local ranks=$1 loss=$2 copies=$3 recovery=$4 size=200
  if [[ $recovery == whole-round && $loss != 0% ]]; then size=20; fi
  "$lbsp" run -n "$ranks" --wan "loss=$loss,rtt=2ms" --copies "$copies" --recovery "$recovery" --json "$report" \
    -- matmul --size "$size" >/dev/null 2>&1 || { echo "failed: -n $ranks loss=$loss copies=$copies $recovery"; exit 1; }
  grep -q '"verified": *true' "$report" || { echo "not verified: -n $ranks loss=$loss copies=$copies $recovery"; exit 1; }
  runs=$((runs + 1))
}

if [[ $full == --full ]]; then
  losses=(0% 1% 10% 30%) copies=(1 2 4 auto)
else
  losses=(10%) copies=(2 auto)
fi
for ranks in 1 4 9; do
  for loss in "${losses[@]}"; do
    for k in "${copies[@]}"; do
      for recovery in receiver rounds whole-round; do run "$ranks" "$loss" "$k" "$recovery"; done
    done
  done
done
echo "$runs runs, all verified"
