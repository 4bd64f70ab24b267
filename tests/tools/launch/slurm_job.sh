#!/usr/bin/env bash
# lbsp run takes its hosts from the Slurm job that it is in, and starts its agents by srun: shown with a Slurm of two nodes
# that this script starts on this machine, and ends. Takes root, slurmctld, slurmd, srun, salloc and munged (Debian:
# slurm-wlm, munge).
#   tests/tools/launch/slurm_job.sh build/bin
set -euo pipefail
bin=$(readlink -f "${1?in which folder is lbsp}")
folder=$(mktemp -d)
chmod 755 "$folder"
host=$(hostname -s)

finish() {
  for service in slurmd.n1 slurmd.n2 slurmctld munged; do
    [[ -f $folder/$service.pid ]] && kill "$(cat "$folder/$service.pid")" 2>/dev/null || true
  done
  # They write until they have ended.
  for service in slurmd.n1 slurmd.n2 slurmctld munged; do
    while [[ -f $folder/$service.pid ]] && kill -0 "$(cat "$folder/$service.pid")" 2>/dev/null; do sleep 0.1; done
  done
  rm -rf "$folder"
}
trap finish EXIT

dd if=/dev/urandom of="$folder/munge.key" bs=128 count=1 status=none
chmod 600 "$folder/munge.key"
munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
  --log-file="$folder/munged.log" --seed-file="$folder/munge.seed" 2>"$folder/munged.err" || cat "$folder/munged.err" >&2
cat >"$folder/slurm.conf" <<CONFIGURATION
ClusterName=trial
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=16817
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool.%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=n[1-2] NodeHostname=$host NodeAddr=127.0.0.1 Port=[16818-16819] CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
CONFIGURATION
mkdir "$folder/state" "$folder/spool.n1" "$folder/spool.n2"
export SLURM_CONF=$folder/slurm.conf
slurmctld
slurmd -N n1
slurmd -N n2
for ((second = 0; second < 30; ++second)); do
  [[ $(sinfo --noheader --format=%T 2>/dev/null) == idle ]] && break
  sleep 1
done

# The nodes' names mean this machine, for what runs in here.
{ cat /etc/hosts; echo "127.0.0.1 n1 n2"; } >"$folder/hosts"
said=$(unshare --mount bash -euc '
  mount --bind "$1/hosts" /etc/hosts
  cd "$2"
  salloc --quiet --nodes=2 --ntasks-per-node=2 bash -euc "
    ./lbsp run --tag-output --wan loss=10%,rtt=5ms -- matmul --size 256 --verify 2>&1
    ./lbsp run -n 2 -- bash -c \"exit 3\" 2>&1 || true
    ./lbsp run -n 5 -- matmul 2>&1 || true"
' bash "$folder" "$bin")

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
echo "lbsp runs on the hosts of a Slurm job"
