#!/bin/sh
# Kills a rank of examples/survive.cpp, and compares the answer with that of a run of one rank: survive_test.sh LBSP SURVIVE.
set -eu
lbsp=$1
survive=$2
steps=1000

out=$(mktemp)
trap 'rm -f "$out"' EXIT
"$lbsp" run -n 4 --on-failure shrink --peer-timeout 1s --wan loss=10%,rtt=2ms -- "$survive" $steps >"$out" &
job=$!
victim=
while [ -z "$victim" ]; do
  sleep 0.1
  # A child of lbsp run holds the ranks of a job that outlives them.
  keeper=$(pgrep -o -P $job) || true
  victim=$(ps -o pid=,args= --ppid "${keeper:-$job}" | awk -v program="$survive" '$2 == program { print $1; exit }')
  kill -0 $job
done
sleep 0.5
kill -9 "$victim"
wait $job

grep -q '^3 ranks go on$' "$out"
expected=$("$survive" $steps)
test "$(tail -n 1 "$out")" = "$expected"
