#!/usr/bin/env python3
"""What benchmarks/wan/compare.py makes of its runs, without a bed: limits, resuming, figures, tables.

    comparison_test.py BENCHMARKS/WAN
"""
import argparse
import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

WAN = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, WAN)
sys.dont_write_bytecode = True

from comparison import measuring, running  # noqa: E402
from comparison.carriers import ON_THE_BED  # noqa: E402
from comparison.grid import begin, compare  # noqa: E402
from comparison.options import options  # noqa: E402
from comparison.problem import Problem  # noqa: E402
from comparison.report import line, overview, table, verdicts  # noqa: E402
from comparison.results import Results  # noqa: E402
from comparison.summary import cells_of, outcome_of, percentile, summary  # noqa: E402
from comparison.tasks import Task, tasks, turns  # noqa: E402

TASK = Task("supersteps", 4, 10.0, 65536)


def run_of(seconds, outcome="done", repeat=0, carrier="lbsp-k1", task=TASK, **more):
    return {"kind": task.kind, "hosts": task.hosts, "loss_percent": task.loss_percent, "work": task.work,
            "carrier": carrier, "repeat": repeat, "seed": 1, "outcome": outcome, "asked": 4, "seconds": seconds, **more}


def program_run(carrier, verified=True, program="matmul", loss=10.0):
    return run_of([2.0] if verified is not None else [], "done" if verified else "time-out",
                  carrier=carrier, task=Task("algorithms", 4, loss, program), verified=verified, supersteps=5,
                  algorithm_seconds=1.5)


class Times(unittest.TestCase):
    def probe(self, *ends_of_ranks):
        """What is read of these ranks' files, after two supersteps of warm-up."""
        with tempfile.TemporaryDirectory() as folder:
            for rank, ends in enumerate(ends_of_ranks):
                with open(os.path.join(folder, str(rank)), "w") as file:
                    file.writelines(f"{end}\n" for end in ends)
            chosen = argparse.Namespace(supersteps=3, bin="", start_limit=1)
            probe = measuring.Probe(chosen, Task("supersteps", len(ends_of_ranks), 0.0, 8), folder)
            return probe.complete(), [round(t, 9) for t in probe.figures("")["seconds"]]

    def test_a_superstep_lasts_from_the_end_of_the_one_before_for_the_last_rank(self):
        self.assertEqual(self.probe([1, 2, 3, 4, 5], [1.5, 2.25, 3.75, 4, 5.5]), (True, [1.5, 0.25, 1.5]))

    def test_a_rank_that_is_ahead_does_not_make_supersteps_longer(self):
        # Two ranks that take turns in waiting: each waits 2 in every other superstep, which are 1 apart.
        self.assertEqual(self.probe([0, 2, 2, 4, 4], [1, 1, 3, 3, 5])[1], [1, 1, 1])

    def test_only_supersteps_that_all_have_ended_count(self):
        self.assertEqual(self.probe([1, 2, 3, 4, 5], [1, 2, 3]), (False, [1]))
        self.assertEqual(self.probe([1, 2, 3], []), (False, []))


class Summaries(unittest.TestCase):
    def test_the_median_is_that_of_the_runs_medians_and_the_spread_theirs(self):
        cell = summary(TASK, "lbsp-k1", [run_of([1, 1, 9]), run_of([2, 2, 2]), run_of([5, 5, 5])])
        self.assertEqual((cell["median"], cell["smallest"], cell["largest"]), (2, 1, 5))

    def test_the_mean_is_over_all_supersteps(self):
        cell = summary(TASK, "lbsp-k1", [run_of([1, 1, 1, 5]), run_of([2, 2])])
        self.assertEqual(cell["mean"], 2)

    def test_p99_is_over_all_supersteps(self):
        cell = summary(TASK, "lbsp-k1", [run_of([1.0] * 100), run_of([1.0] * 97 + [7.0, 8.0, 9.0])])
        self.assertEqual(cell["p99"], 7.0)
        self.assertEqual(percentile([3, 1, 2], 0.99), 3)

    def test_a_run_without_a_superstep_counts_but_has_no_figure(self):
        cell = summary(TASK, "lbsp-k1", [run_of([2, 2, 2, 2]), run_of([], "time-out")])
        self.assertEqual((cell["runs"], cell["done"], cell["asked"], cell["median"]), (2, 4, 8, 2))
        self.assertEqual(cell["outcome"], "1 of 2: time-out")

    def test_nothing_at_all_is_shown_as_such(self):
        cell = summary(TASK, "mpi-bbr", [run_of([], "did not start in 5 s")])
        self.assertIsNone(cell["median"])
        self.assertTrue(line(cell).endswith("-  0 of 4, did not start in 5 s"), line(cell))

    def test_outcomes_are_counted(self):
        self.assertEqual(outcome_of([run_of([1])]), "done")
        self.assertEqual(outcome_of([run_of([], "time-out"), run_of([1]), run_of([], "time-out")]), "2 of 3: time-out")

    def test_the_bound_is_half_a_round_trip_and_the_bytes_of_a_host(self):
        cell = summary(TASK, "lbsp-k1", [run_of([1])])
        self.assertAlmostEqual(cell["bound"], 0.035 + 3 * 65536 / 12.5e6 / 0.9)
        self.assertAlmostEqual(cell["ratio"], 1 / cell["bound"])
        self.assertIsNone(summary(Task("loopback", 2, 0.0, 0), "mpi-tcp", [run_of([1])])["bound"])

    def test_the_overview_has_a_column_for_each_loss_and_stars_what_is_not_whole(self):
        lossless = Task("supersteps", 4, 0.0, 65536)
        cells = cells_of("supersteps", [run_of([0.05] * 4, task=lossless), run_of([2.0] * 3, "time-out"),
                                        run_of([], "time-out", carrier="srt")])
        lines = [" ".join(text.split()) for text in "\n".join(overview(cells)).splitlines()]
        self.assertEqual(lines[1:], ["loss 0 % 10 %", "bound 50.7 52.5", "lbsp-k1 50.0 2000*", "srt -*"])
        self.assertEqual(list(overview(cells_of("supersteps", [run_of([1])]))), [])

    def test_cells_are_in_the_order_of_the_tables(self):
        runs = [run_of([1], carrier=name) for name in reversed(list(ON_THE_BED))]
        self.assertEqual([cell["carrier"] for cell in cells_of("supersteps", runs)], list(ON_THE_BED))


class Verdicts(unittest.TestCase):
    def test_an_algorithm_is_verified_only_if_it_was_in_every_run(self):
        right = [program_run("lbsp-auto"), program_run("mpi-bbr"), program_run("lbsp-auto", program="jacobi")]
        wrong = [program_run("mpi-bbr", verified=False, program="jacobi"),
                 program_run("mpi-bbr", verified=None, program="fft2d")]
        self.assertEqual(list(verdicts(cells_of("algorithms", right + wrong))),
                         ["verified in all runs on 4 hosts at 10 % loss over lbsp: matmul, jacobi",
                          "verified in all runs on 4 hosts at 10 % loss over MPI: matmul"])

    def test_the_column_counts_runs(self):
        self.assertTrue(line(cells_of("algorithms", [program_run("lbsp-auto")])[0]).endswith(" 1 of 1"))
        self.assertTrue(line(cells_of("algorithms", [program_run("mpi-bbr", None)])[0]).endswith(" -, time-out"))


class Commands(unittest.TestCase):
    def test_a_kind_has_its_own_defaults(self):
        self.assertEqual(options("", []).hosts, [2, 4, 8])
        self.assertEqual(options("", ["--quick"]).repeats, 1)
        self.assertEqual(options("", ["--algorithms"]).algorithms, ["matmul", "bitonic_sort", "fft2d", "jacobi"])
        self.assertEqual(options("", ["--algorithms", "jacobi", "--hosts", "2"]).hosts, [2])
        self.assertEqual(tasks(options("", ["--loopback", "--hosts", "2"])),
                         [Task("loopback", 2, 0.0, 0), Task("loopback", 2, 0.0, 65536)])

    def test_what_cannot_be_is_refused(self):
        for words in (["--bytes", "0"], ["--bytes", "7", "--carriers", "lbsp-k1"], ["--loopback", "--algorithms"],
                      ["--algorithms", "--carriers", "tcp-bbr"], ["--loopback", "--carriers", "mpi-bbr"],
                      ["--algorithms", "nothing"], ["--hosts", "1"], ["--loss", "x"]):
            with self.subTest(words), self.assertRaises(Problem):
                options("", words)
        self.assertEqual(options("", ["--bytes", "0", "--carriers", "lbsp-k1,mpi-bbr"]).bytes, [0])

    def test_repeats_meet_other_losses_and_carriers_the_same(self):
        self.assertEqual(len({TASK.seed(first, repeat) for first in (1, 2) for repeat in range(3)}), 6)
        self.assertEqual(TASK.seed(1, 0), Task("supersteps", 4, 10.0, 65536).seed(1, 0))

    def test_carriers_take_turns_in_being_the_first(self):
        self.assertEqual([turns(["a", "b"], repeat) for repeat in range(3)], [["a", "b"], ["b", "a"], ["a", "b"]])


class Resuming(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.out = os.path.join(self.folder.name, "out")
        self.measured = []

    def tearDown(self):
        self.folder.cleanup()

    def chosen(self, *words):
        return options("", ["--hosts", "2", "--loss", "0,10", "--bytes", "1024", "--carriers", "lbsp-k1,mpi-bbr",
                            "--repeats", "2", "--supersteps", "4", "--out", self.out, *words])

    def measure_until(self, most):
        def measure(_chosen, task, carrier, repeat):
            if len(self.measured) == most:
                raise KeyboardInterrupt
            self.measured.append((task, carrier, repeat))
            return run_of([0.1] * 4, carrier=carrier, repeat=repeat, task=task)
        return measure

    def compare(self, most, *words):
        chosen = self.chosen(*words)
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.suppress(KeyboardInterrupt):
            compare(chosen, begin(chosen), self.measure_until(most))
        return said.getvalue().splitlines()[2:]

    def kept(self):
        with open(self.out + ".json") as file:
            return json.load(file)

    def test_each_run_is_kept_at_once_and_none_is_made_twice(self):
        self.assertEqual(self.compare(3), [])
        self.assertEqual(len(self.kept()["runs"]), 3)
        lines = self.compare(100, "--resume")
        self.assertEqual(len(lines), 4)
        self.assertEqual(len(self.measured), 8)
        self.assertEqual(len(set(self.measured)), 8)
        self.assertEqual(len(self.kept()["cells"]), 4)
        self.assertEqual(os.listdir(self.folder.name), ["out.json"])

    def test_without_resume_it_begins_again(self):
        self.compare(3)
        self.compare(5)
        self.assertEqual(len(self.kept()["runs"]), 2)

    def test_more_repeats_are_added_to_those_that_there_are(self):
        self.compare(100)
        self.compare(100, "--resume", "--repeats", "3")
        self.assertEqual(len(self.measured), 12)

    def test_runs_that_were_made_otherwise_are_not_mixed(self):
        self.compare(1)
        for words in (["--limit", "7"], ["--supersteps", "5"], ["--seed", "2"], ["--start-limit", "7"]):
            with self.subTest(words), self.assertRaisesRegex(Problem, "give the same, or another --out"):
                begin(self.chosen("--resume", *words))

    def test_another_kind_goes_into_the_same_file(self):
        self.compare(100)
        loopback = options("", ["--loopback", "--resume", "--out", self.out, "--hosts", "2", "--repeats", "1"])
        with contextlib.redirect_stdout(io.StringIO()):
            compare(loopback, begin(loopback), self.measure_until(1000))
        self.assertEqual({cell["kind"] for cell in self.kept()["cells"]}, {"supersteps", "loopback"})

    def test_a_file_of_something_else_is_refused(self):
        with open(self.out + ".json", "w") as file:
            file.write('{"runs": 3}')
        with self.assertRaisesRegex(Problem, "give a file that compare.py has written"):
            begin(self.chosen("--resume"))

    def test_table_and_figure_come_from_the_file_alone(self):
        self.compare(100)
        command = [sys.executable, os.path.join(WAN, "compare.py"), "--from", self.out + ".json"]
        shown = subprocess.run(command, capture_output=True, text=True, timeout=60)
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertEqual(shown.stdout, table(Results.load(self.out + ".json").cells()))
        with open(self.out + ".txt") as file:
            self.assertEqual(file.read(), shown.stdout)
        if shutil.which("gnuplot"):
            with open(self.out + ".svg") as file:
                self.assertIn("lbsp-k1", file.read())


class Limits(unittest.TestCase):
    """Of processes that are a shell's."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.ending, running.ENDING = running.ENDING, 0.2

    def tearDown(self):
        running.ENDING = self.ending
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_shell(self, *scripts, start=20.0, limit=20.0):
        commands = [["sh", "-c", f"cd {self.folder.name}; {script}"] for script in scripts]
        return running.run(commands, running.Limits(start, limit), lambda: os.path.exists(self.path("begun")),
                           lambda: os.path.exists(self.path("complete"))).outcome

    def test_an_orderly_end_is_done(self):
        self.assertEqual(self.run_shell("touch begun complete", "true"), "done")

    def test_the_start_has_a_limit_of_its_own(self):
        self.assertEqual(self.run_shell("exec sleep 30", start=0.2), "did not start in 0.2 s")

    def test_the_limit_counts_from_the_start(self):
        self.assertEqual(self.run_shell("sleep 1; touch begun complete", limit=0.5), "done")
        os.remove(self.path("begun"))
        os.remove(self.path("complete"))
        self.assertEqual(self.run_shell("touch begun; exec sleep 30", limit=0.2), "time-out")

    def test_work_that_is_done_is_done_though_the_end_hangs(self):
        self.assertEqual(self.run_shell("touch begun complete; exec sleep 30"), "done")

    def test_a_failure_ends_the_others_and_is_told(self):
        self.assertEqual(self.run_shell("echo 'lbsp: it broke: mend it' >&2; exit 1", "exec sleep 30"),
                         "failed: it broke: mend it")

    def test_without_a_sign_of_the_start_both_limits_hold_together(self):
        ended = running.run([["sh", "-c", "sleep 0.5; echo yes"]], running.Limits(0.1, 20.0))
        self.assertEqual((ended.outcome, ended.output), ("done", "yes\n"))
        self.assertEqual(running.run([["sleep", "30"]], running.Limits(0.1, 0.1)).outcome, "time-out")


unittest.main()
