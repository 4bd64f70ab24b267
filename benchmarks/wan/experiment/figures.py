"""The paper's figures 1 to 3: loss, bandwidth and round trip against packet size, measured by `lbsp probe` between
all hosts of a bed, beside what the bed's matrix says."""
import csv
import json
import math
import os
import statistics

from experiment import datagrams
from experiment.bed import fail, run
from experiment.matrix import (PAPER_LOSS, PAPER_RATE, PAPER_RTT, RATE_SCALE, expected_bandwidth, expected_loss,
                               expected_rtt, fragments)

COLUMNS = ["from", "to", "bytes", "fragments", "loss", "loss_low", "loss_high", "loss_sample", "loss_expected",
           "rtt_min", "rtt_median", "rtt_p99", "rtt_expected", "bandwidth", "bandwidth_expected"]
HEAD = (f"{'bytes':>6} {'frag.':>5}  {'loss':>14} {'matrix':>7} {'within':>8}   {'round trip':>18} {'matrix':>9}   "
        f"{'bandwidth':>19} {'matrix':>6}")


# Of the larger sizes too little may get through for lbsp probe, which then gives the pair up: each is by itself.
TOGETHER = [[64, 512, 1400], [8192], [25600], [64000]]
SECONDS_PER_PAIR = 150


def measure(bed, folder, hosts, samples):
    """All pairs, or so many at random as `samples` says for each of TOGETHER: the profiles' pairs, and what lbsp probe
    has said of pairs that it could not measure, or not well."""
    profile = os.path.join(folder, "profile.json")
    measured, said = [], []
    for sizes, sample in zip(TOGETHER, samples):
        command = [bed.lbsp, "probe", "--hosts", bed.hosts_file, "--launch-agent", bed.agent(), "--no-compute",
                   "--packet-sizes", ",".join(map(str, sizes)), "--time-limit", f"{SECONDS_PER_PAIR}s",
                   "--json", profile, *(["--sample", str(sample)] if sample else [])]
        pairs = sample or hosts * (hosts - 1) // 2
        # Pairs without a common host are measured at the same time, but need not be in the best order.
        ended = run(command, SECONDS_PER_PAIR * (1 + 2 * pairs // (hosts // 2)))
        said += [f"{'/'.join(map(str, sizes))} bytes: {line}" for line in ended.said]
        if os.path.exists(profile):
            with open(profile) as file:
                measured += json.load(file)["pairs"]
            os.remove(profile)
    if not measured:
        fail(f"no pair could be measured: {said[-1] if said else 'time-out'}")
    return measured, said


def add_fragmented(measured, bed, hosts, count):
    """Loss and round trips of the sizes that are cut, of all pairs; bandwidths stay lbsp probe's where it has any."""
    cut = [size for sizes in TOGETHER for size in sizes if fragments(size) > 1]
    found = {(pair["from"], pair["to"], pair["packet_size"]): pair["bandwidth"] for pair in measured}
    by_hand = [pair for size in cut for pair in datagrams.measure(bed, hosts, size, count)]
    for pair in by_hand:
        pair["bandwidth"] = found.get((pair["from"], pair["to"], pair["packet_size"]), 0)
    known = {(pair["from"], pair["to"], pair["packet_size"]) for pair in by_hand}
    return by_hand + [pair for pair in measured
                      if (pair["from"], pair["to"], pair["packet_size"]) not in known]


def shortcomings(said):
    """The same in few sentences."""
    nothing = sum("gets nothing" in line or "gets too little" in line for line in said)
    too_long = sum("would be measured for" in line for line in said)
    slow = sum("no more than what could be sent" in line for line in said)
    silent = sum("stopped answering" in line for line in said)
    return [text for count, text in (
        (nothing, f"{nothing} pairs of hosts and sizes have no bandwidth: too little came through for lbsp probe"),
        (too_long, f"{too_long} pairs of hosts and sizes have no bandwidth: to measure them would have taken too long"),
        (silent, f"{silent} pairs of hosts and sizes have no bandwidth: the far side stopped answering"),
        (slow, f"{slow} bandwidths are too low: this machine could not send fast enough")) if count]


def beside_matrix(measured, paths):
    """One row for each ordered pair and packet size that was measured."""
    rows = []
    for pair in measured:
        there, size = (pair["from"], pair["to"]), pair["packet_size"]
        path = paths[there]
        values = [*there, size, fragments(size), pair["loss"], *pair["loss_interval"], pair.get("loss_sample", 0),
                  expected_loss(path, size), *(pair["rtt"][name] for name in ("min", "median", "p99")),
                  expected_rtt(path, paths[there[::-1]], size), pair["bandwidth"], expected_bandwidth(path, size)]
        rows.append(dict(zip(COLUMNS, values)))
    return sorted(rows, key=lambda row: (row["bytes"], row["from"], row["to"]))


def mean_and_interval(measured, expected):
    """The mean of what was measured, and within how much of it the mean of all such measurements lies with 95 %. That
    comes from how far paths are off what is expected of them, not from how they differ from each other."""
    off = [one - other for one, other in zip(measured, expected)]
    half = 1.96 * statistics.stdev(off) / math.sqrt(len(off)) if len(off) > 1 else None
    return statistics.fmean(measured), half


def by_size(rows):
    """What all pairs together make of each packet size."""
    summaries = []
    for size in sorted({row["bytes"] for row in rows}):
        of_size = [row for row in rows if row["bytes"] == size]
        summary = {"bytes": size, "fragments": fragments(size), "paths": len(of_size),
                   "loss_within": sum(row["loss_low"] <= row["loss_expected"] <= row["loss_high"] for row in of_size)}
        for name, key in (("loss", "loss"), ("rtt", "rtt_median"), ("bandwidth", "bandwidth")):
            known = [row for row in of_size if row[key] > 0]
            summary[f"{name}_known"] = len(known)
            if not known:
                continue
            expected = [row[f"{name}_expected"] for row in known]
            mean, half = mean_and_interval([row[key] for row in known], expected)
            summary |= {name: mean, f"{name}_half_interval": half, f"{name}_expected": statistics.fmean(expected)}
        summaries.append(summary)
    return summaries


def line(summary):
    def figure(name, scale):
        if name not in summary:
            return "-", "-"
        half = summary[f"{name}_half_interval"]
        return (f"{summary[name] * scale:.1f}" + (f" ± {half * scale:.1f}" if half is not None else ""),
                f"{summary[f'{name}_expected'] * scale:.1f}")
    loss, rtt, bandwidth = figure("loss", 100), figure("rtt", 1e3), figure("bandwidth", 8e-6)
    within = f"{summary['loss_within']}/{summary['paths']}"
    return (f"{summary['bytes']:>6} {summary['fragments']:>5}  {loss[0]:>12} % {loss[1]:>5} % {within:>8}   "
            f"{rtt[0]:>15} ms {rtt[1]:>6} ms   {bandwidth[0]:>12} Mbit/s {bandwidth[1]:>6}")


def inside(value, limits, slack=0.05):
    return limits[0] * (1 - slack) <= value <= limits[1] * (1 + slack)


def beside_paper(summaries):
    """What agrees with the paper's figures and what does not, in sentences."""
    def sizes(chosen):
        return ", ".join(str(summary["bytes"]) for summary in chosen) or "no size"

    whole = [summary for summary in summaries if summary["fragments"] == 1]
    cut = [summary for summary in summaries if summary["fragments"] > 1]
    said = []
    good = [s for s in whole if "loss" in s and inside(s["loss"], PAPER_LOSS)]
    said.append(f"figure 1, loss 5 to 15 %: agrees at {sizes(good)} bytes, which travel in one packet each")
    for summary in cut:
        paper = "less than 10" if summary["bytes"] <= 10_000 else "about 15"
        said.append(f"figure 1 at {summary['bytes']} bytes: {summary['loss'] * 100:.0f} % lost, of "
                    f"{summary['fragments']} fragments each, where the paper has {paper} %")
    rates = tuple(rate * RATE_SCALE for rate in PAPER_RATE)
    for key, limits, title in (("bandwidth", rates, "figure 2, 30 to 50 MB/s, here an eighth of that"),
                               ("rtt", PAPER_RTT, "figure 3, 50 to 100 ms up to 25 KB")):
        known = [s for s in summaries if key in s]
        good = [s for s in known if inside(s[key], limits)]
        said.append(f"{title}: agrees at {sizes(good)} bytes, not at {sizes([s for s in known if s not in good])}")
    return said


def write_csv(rows, path):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
