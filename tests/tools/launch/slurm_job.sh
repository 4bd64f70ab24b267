#!/usr/bin/env bash
# In a Slurm job lbsp run takes its hosts from it and starts its agents by srun, and programs that srun starts find each
# other by PMIx: shown with a Slurm of two virtual hosts, between which a tenth of the packets is lost. This script starts
# and ends them. Takes root, slurmctld, slurmd, srun, salloc and munged (Debian: slurm-wlm, munge).
#   tests/tools/launch/slurm_job.sh build/bin
set -euo pipefail
bin=$(readlink -f "${1?in which folder is lbsp}")
folder=$(mktemp -d)
chmod 755 "$folder"
bed=slurm-$$
on() { "$bin/lbsp" wan exec --name "$bed" "$@"; }

finish() {
  for service in slurmd.h0 slurmd.h1 slurmctld munged; do
    [[ -f $folder/$service.pid ]] && kill "$(cat "$folder/$service.pid")" 2>/dev/null || true
  done
  # They write until they have ended.
  for service in slurmd.h0 slurmd.h1 slurmctld munged; do
    while [[ -f $folder/$service.pid ]] && kill -0 "$(cat "$folder/$service.pid")" 2>/dev/null; do sleep 0.1; done
  done
  "$bin/lbsp" wan down --name "$bed" || true
  rm -rf "$folder"
}
trap finish EXIT
"$bin/lbsp" wan up -n 2 --wan loss=10%,rtt=5ms --name "$bed" >/dev/null

dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 status=none
chmod 600 "$folder/munge.key"
munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
  --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" 2>"$folder/munged.err" || cat "$folder/munged.err" >&2
cat >"$folder/slurm.conf" <<CONFIGURATION
ClusterName=trial
SlurmctldHost=h0(198.18.0.1)
SlurmctldPort=16817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
TmpFS=$folder/tmp.%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=h0 NodeAddr=198.18.0.1 CPUs=$(nproc) State=UNKNOWN
NodeName=h1 NodeAddr=198.18.0.2 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
CONFIGURATION
mkdir "$folder/state" "$folder"/{spool,tmp}.h{0,1}
export SLURM_CONF=$folder/slurm.conf
on h0 -- slurmctld
on h0 -- slurmd -N h0
on h1 -- slurmd -N h1
for ((second = 0; second < 60; ++second)); do
  [[ $(on h0 -- sinfo --noheader --format=%T 2>/dev/null) == idle ]] && break
  sleep 1
done

said=$(cd "$bin" && on h0 -- salloc --quiet --nodes=2 --ntasks-per-node=2 bash -euc '
  ./lbsp run --tag-output -- matmul --size 256 --verify 2>&1
  ./lbsp run -n 2 -- bash -c "exit 3" 2>&1 || true
  ./lbsp run -n 5 -- matmul 2>&1 || true
  for program in "bitonic_sort --size 100000" "fft2d --size 64" "jacobi --size 34 --iterations 20" "matmul --size 100"; do
    srun --mpi=pmix ./$program --verify 2>&1
  done
  srun --mpi=pmix --kill-on-bad-exit ./job_probe throw 3 size 2>&1 || true')

expect() {
  grep -qF -- "$1" <<<"$said" || {
    echo "'$1' is not in: $said" >&2
    exit 1
  }
}
expect "on 4 ranks over udp"
expect "verified    yes"
expect "ended with exit code 3"
expect "5 ranks need 5 slots, and the Slurm job"
# lines TEXT N: there are N lines that begin with the pattern.
lines() {
  [[ $(grep -c "^$1" <<<"$said") == "$2" ]] || {
    echo "there are not $2 lines like '$1' in: $said" >&2
    exit 1
  }
}
lines "[a-z0-9_]*: .* P=4 .*, verified" 4
lines "lbsp: rank 3 on h1: the size is wrong: give another" 1
echo "lbsp runs on the hosts of a Slurm job, and by srun"
