"""Speedup against copies: matmul and jacobi on a bed, with the paper's recovery and with lbsp's own, beside what the
paper's formula and lbsp's own prediction say."""
import json
import os
import re
import statistics

from experiment import programs
from experiment.bed import Bed, run
from experiment.programs import NODE_FLOPS, speedup

RTT, LOSS, RATE = 0.070, 0.10, 100e6 / 8
RECOVERIES = {"rounds": ["--recovery", "rounds"], "lbsp": []}
HEAD = (f"{'recovery':<8} {'k':>4}  {'an exchange, of runs from..to':>32} {'model':>9} {'ratio':>6}  {'rounds':>6} "
        f"{'model':>6}  {'speedup':>8} {'model':>7}  {'by the clock':>12} {'model':>7}")


def chosen_programs(ranks, quick):
    """The paper's block of 128 x 128 numbers, and what lets work count for more."""
    short = [programs.matmul(ranks, 128), programs.jacobi(ranks, 300_000, 5)]
    return short if quick else [*short, programs.matmul(ranks, 512), programs.jacobi(ranks, 1_000_000, 5)]


def write_profile(path, ranks):
    """What the bed is told to be, as `lbsp probe` would write it: rounds and plans need not begin by a guess."""
    pairs = [{"from": a, "to": b, "packet_size": programs.DATAGRAM, "loss": LOSS, "loss_interval": [LOSS, LOSS],
              "second_copy_loss": [], "burst": 1 / (1 - LOSS), "rtt": {"min": RTT, "median": RTT, "p99": RTT},
              "bandwidth": RATE} for a in range(ranks) for b in range(ranks) if a != b]
    with open(path, "w") as file:
        json.dump({"version": 1, "hosts": [{"name": f"h{host}", "compute": None} for host in range(ranks)],
                   "pairs": pairs}, file)


def own_seconds(output):
    """What a program says it took, its input and its report apart."""
    found = re.search(r" ([\d.e+-]+) s, ", output)
    return float(found[1]) if found else None


def alone(lbsp, program, limit):
    """How a run of the same program on one rank, with one thread, ended, and its seconds."""
    ended = run([lbsp, "run", "-n", "1", "--", *program.words], limit)
    return ended.outcome, own_seconds(ended.output)


def exchanges(trace, supersteps):
    """Of each of the first supersteps, from a trace's lines: the seconds from the last rank's begin of the exchange to
    the last rank's end, and the most rounds that a rank took. Each rank's clock begins with the word to start."""
    clocks, begins, ends, rounds = {}, [0.0] * supersteps, [0.0] * supersteps, [0] * supersteps
    steps = [step for step in trace if step["superstep"] is not None]  # without the end
    for step in sorted(steps, key=lambda each: each["superstep"]):
        index, rank = step["superstep"], step["rank"]
        if index >= supersteps:
            continue
        begin = clocks.get(rank, 0.0) + step["compute"]
        clocks[rank] = begin + step["communicate"]
        begins[index] = max(begins[index], begin)
        ends[index] = max(ends[index], clocks[rank])
        rounds[index] = max(rounds[index], step["rounds"])
    return [end - begin for begin, end in zip(begins, ends)], rounds


def one_run(bed, folder, program, recovery, copies, limit):
    """{"outcome"} and, if that is done, an exchange's seconds and rounds, the seconds that lbsp predicted for it if it
    planned, and those of the whole program."""
    report, trace = (os.path.join(folder, name) for name in ("report.json", "trace.json"))
    ended = run(
        [bed.lbsp, "run", "--hosts", bed.hosts_file, "--launch-agent", bed.agent(), "--rate", f"{RATE * 8 / 1e6:g}Mbit",
         "--datagram", str(programs.DATAGRAM), "--profile", os.path.join(folder, "bed.json"), "--copies", str(copies),
         *RECOVERIES[recovery], "--json", report, "--trace", trace, "--", *program.words], limit)
    if ended.outcome != "done":
        return {"outcome": ended.outcome}
    # The program's own supersteps come first; after them a rank's last values and times travel.
    with open(report) as file:
        steps = json.load(file)["steps"][:program.supersteps]
    with open(trace) as lines:
        seconds, rounds = exchanges(map(json.loads, lines), program.supersteps)
    predicted = [step["prediction"]["planned"] for step in steps if step["prediction"]]
    return {"outcome": "done", "seconds": own_seconds(ended.output), "exchange": statistics.fmean(seconds),
            "rounds": statistics.fmean(rounds), "predicted": statistics.fmean(predicted) if predicted else None}


def exchange_model(lbsp, program, recovery, copies, runs):
    """(seconds, rounds) of an exchange: by the paper, by model/exchange_time.hpp, or as lbsp predicted for its plan."""
    network = (LOSS, RTT, RATE)
    if recovery == "rounds":
        rounds = programs.expected_rounds(lbsp, program.packets(), LOSS, copies)
        return programs.paper_exchange(program, copies, network, rounds), rounds
    if copies != "auto":
        return programs.receiver_exchange(program, copies, network), None
    predicted = [each["predicted"] for each in runs if each.get("predicted")]
    return (statistics.fmean(predicted) if predicted else None), None


def cell(lbsp, program, recovery, copies, runs, work):
    """What the runs of one program with one recovery and number of copies make. work: seconds on one rank."""
    model, rounds = exchange_model(lbsp, program, recovery, copies, runs)
    made = {"program": program.name, "what": program.what, "ranks": program.ranks, "recovery": recovery,
            "copies": copies, "supersteps": program.supersteps, "work": work, "runs": runs, "exchange": None,
            "model": model, "rounds_model": rounds}
    done = [each for each in runs if each["outcome"] == "done"]
    if not done:
        return made
    cores = min(program.ranks, os.cpu_count())
    measured = [each["exchange"] for each in done]
    seconds = [each["seconds"] for each in done]

    def at(exchange):
        return exchange and speedup(program.node_seconds(), program.ranks, exchange, program.supersteps)
    mean = statistics.fmean(measured)
    return made | {
        "exchange": mean, "from": min(measured), "to": max(measured), "ratio": model and mean / model,
        "rounds": statistics.fmean(each["rounds"] for each in done), "speedup": at(mean),
        "speedup_from": at(max(measured)), "speedup_to": at(min(measured)), "speedup_model": at(model),
        "clock": work / statistics.fmean(seconds),
        "clock_from": work / max(seconds), "clock_to": work / min(seconds),
        "clock_model": model and speedup(work, cores, model, program.supersteps)}


def line(made):
    name = f"{made['recovery']:<8} {made['copies']:>4}"
    if made["exchange"] is None:
        return f"{name}  {made['runs'][0]['outcome']}"

    def figure(value, width, digits=3):
        return f"{'-' if value is None else format(value, f'.{digits}f'):>{width}}"
    spread = f"{made['exchange'] * 1e3:.0f} ms ({made['from'] * 1e3:.0f}..{made['to'] * 1e3:.0f})"
    model = "-" if made["model"] is None else f"{made['model'] * 1e3:.0f} ms"
    rounds = (made["rounds"] if made["rounds_model"] else None, made["rounds_model"])
    failed = [each["outcome"] for each in made["runs"] if each["outcome"] != "done"]
    return (f"{name}  {spread:>32} {model:>9} {figure(made['ratio'], 6, 2)}  {figure(rounds[0], 6, 2)} "
            f"{figure(rounds[1], 6, 2)}  {figure(made['speedup'], 8)} {figure(made['speedup_model'], 7)}  "
            f"{figure(made['clock'], 12)} {figure(made['clock_model'], 7)}"
            + (f"  {len(failed)} {failed[0]}" if failed else ""))


def best(cells, recovery):
    """Which copies are best, measured and in the model."""
    of_recovery = [each for each in cells if each["recovery"] == recovery and each["exchange"] is not None
                   and each["copies"] != "auto"]
    if not of_recovery:
        return f"{recovery}: nothing measured"
    measured = min(of_recovery, key=lambda each: each["exchange"])
    model = min(of_recovery, key=lambda each: each["model"])
    return f"{recovery}: best with {measured['copies']} copies, in the model with {model['copies']}"


def measure_program(bed, folder, program, chosen, table):
    kinds = [(recovery, copies) for recovery in RECOVERIES for copies in range(1, chosen.copies + 1)]
    kinds.append(("lbsp", "auto"))
    runs, works = {kind: [] for kind in kinds}, []
    for _ in range(chosen.repeats):
        outcome, seconds = alone(bed.lbsp, program, chosen.limit)
        if outcome != "done":
            table.add(f"{program.what}, on one rank: {outcome}")
            return []
        works.append(seconds)
        for kind in kinds:
            runs[kind].append(one_run(bed, folder, program, *kind, chosen.limit))
    work = statistics.median(works)
    table.add()
    table.add(f"{program.what}, on {program.ranks} hosts; supersteps: {program.supersteps}, each with "
              f"{program.messages} messages of {program.message} bytes, {program.packets()} packets in all; "
              f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    table.add(f"the work takes {work:.3g} s on one core here, {program.node_seconds():.3g} s at "
              f"{NODE_FLOPS / 1e9:g} GFlop/s")
    table.add(HEAD)
    cells = []
    for recovery, copies in kinds:
        cells.append(cell(bed.lbsp, program, recovery, copies, runs[recovery, copies], work))
        table.add(line(cells[-1]))
    for recovery in RECOVERIES:
        table.add("  " + best(cells, recovery))
    return cells


def measure(lbsp, folder, ranks, chosen, table):
    # A rank computes on one core; more threads would only take turns.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    write_profile(os.path.join(folder, "bed.json"), ranks)
    network = f"loss={LOSS * 100:g}%,rtt={RTT * 1e3:g}ms,rate={RATE * 8 / 1e6:g}Mbit"
    cells = []
    with Bed(lbsp, ["-n", str(ranks), "--wan", network, "--seed", str(chosen.seed)]) as bed:
        for program in chosen_programs(ranks, chosen.quick):
            cells += measure_program(bed, folder, program, chosen, table)
        for sentence in bed.stats():
            table.add(sentence)
    return cells
