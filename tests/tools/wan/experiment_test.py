#!/usr/bin/env python3
"""What benchmarks/wan/paper.py reckons: the networks it draws, what it expects of datagrams there, and what its
programs send.

    experiment_test.py BENCHMARKS_WAN_FOLDER
"""
import random
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv.pop(1))
from experiment import datagrams, figures, matrix, programs, speedup  # noqa: E402
from experiment.matrix import Path, expected_bandwidth, expected_loss, expected_rtt, fragments  # noqa: E402


def lost_in_simulation(path, packets, tries):
    """Of trains of `packets` over a path that is good or bad as a bed's is, each begun in its long run."""
    leaves = min(1 / path.burst, 1 - path.loss)
    enters = leaves * path.loss / (1 - path.loss)
    chance = random.Random(1)
    lost = 0
    for _ in range(tries):
        bad = chance.random() < path.loss
        any_bad = bad
        for _ in range(packets - 1):
            bad = chance.random() < (1 - leaves if bad else enters)
            any_bad |= bad
        lost += any_bad
    return lost / tries


class Drawn(unittest.TestCase):
    def setUp(self):
        self.paths = matrix.draw(6, seed=1)

    def test_all_ordered_pairs_are_there(self):
        self.assertEqual(set(self.paths), {(a, b) for a in range(6) for b in range(6) if a != b})

    def test_values_are_in_the_papers_ranges(self):
        for path in self.paths.values():
            self.assertTrue(0.05 <= path.loss <= 0.15)
            self.assertTrue(0.050 <= path.rtt <= 0.100)
            self.assertTrue(30e6 / 8 <= path.rate <= 50e6 / 8)
            self.assertTrue(path.burst == 1 or 2 <= path.burst <= 5)

    def test_round_trips_are_symmetric_and_rates_a_hosts(self):
        for (sender, to), path in self.paths.items():
            self.assertEqual(path.rtt, self.paths[to, sender].rtt)
            self.assertEqual(path.rate, self.paths[sender, (sender + 1) % 6].rate)

    def test_some_paths_are_bursty_and_some_are_not(self):
        self.assertTrue(0 < sum(path.burst > 1 for path in self.paths.values()) < len(self.paths))

    def test_a_seed_says_all(self):
        self.assertEqual(self.paths, matrix.draw(6, seed=1))
        self.assertNotEqual(self.paths, matrix.draw(6, seed=2))

    def test_the_file_has_a_line_for_each_host_and_a_word_for_each_pair(self):
        words = [line.split() for line in matrix.to_text(self.paths).splitlines()]
        self.assertEqual([len(line) for line in words], [6] * 6)
        for sender in range(6):
            for to in range(6):
                self.assertEqual(words[sender][to], "-" if sender == to else self.paths[sender, to].spec())


class Spec(unittest.TestCase):
    def test_a_burst_of_one_is_not_written(self):
        self.assertEqual(Path(0.0931, 0.0732, 41.5e6 / 8).spec(), "loss=9.31%,rtt=73.2ms,rate=41.5Mbit")
        self.assertEqual(Path(0.1, 0.05, 30e6 / 8, 2.5).spec(), "loss=10%,rtt=50ms,rate=30Mbit,burst=2.5")


class Datagrams(unittest.TestCase):
    def test_fragments(self):
        # An IP packet of 1500 bytes has 1480 behind its header, of which the first fragment has 8 of UDP's.
        for size, count in ((64, 1), (1400, 1), (1472, 1), (1473, 2), (2952, 2), (2953, 3), (8192, 6), (64000, 44)):
            self.assertEqual(fragments(size), count, size)

    def test_independent_losses_are_those_of_any_fragment(self):
        path = Path(0.1, 0.07, 5e6)
        for size in (64, 1473, 8192, 64000):
            self.assertAlmostEqual(expected_loss(path, size), 1 - 0.9 ** fragments(size))

    def test_bursts_make_a_small_datagram_lost_as_often_and_a_long_one_less(self):
        path = Path(0.1, 0.07, 5e6, burst=4)
        self.assertAlmostEqual(expected_loss(path, 1400), 0.1)
        for size in (2000, 8192):
            self.assertLess(expected_loss(path, size), 1 - 0.9 ** fragments(size))
            simulated = lost_in_simulation(path, fragments(size), 40_000)
            self.assertAlmostEqual(expected_loss(path, size), simulated, delta=0.01)

    def test_a_burst_shorter_than_chance_makes_means_chance(self):
        self.assertAlmostEqual(expected_loss(Path(0.5, 0.07, 5e6, burst=1.5), 3000), 1 - 0.5 ** 3)

    def test_bandwidth_is_the_rate_of_what_is_not_cut(self):
        self.assertEqual(expected_bandwidth(Path(0.1, 0.07, 5e6), 1400), 5e6)
        # Six packets, of which 28 bytes each do not count: 8192 + 8 + 6 * 20 - 6 * 28.
        self.assertAlmostEqual(expected_bandwidth(Path(0.1, 0.07, 5e6), 8192), 5e6 * 8192 / 8152)

    def test_a_round_trip_has_the_datagrams_own_time_both_ways(self):
        there, back = Path(0.1, 0.07, 5e6), Path(0.1, 0.07, 2.5e6)
        self.assertAlmostEqual(expected_rtt(there, back, 1000), 0.07 + 1000 / 5e6 + 1000 / 2.5e6)


class BesideMatrix(unittest.TestCase):
    def test_the_interval_is_of_the_paths_errors_not_of_their_differences(self):
        mean, half = figures.mean_and_interval([0.06, 0.10, 0.14], [0.05, 0.10, 0.15])
        self.assertAlmostEqual(mean, 0.10)
        self.assertAlmostEqual(half, 1.96 * 0.01 / 3**0.5)

    def test_one_path_has_no_interval(self):
        self.assertIsNone(figures.mean_and_interval([0.1], [0.1])[1])


class ByHand(unittest.TestCase):
    def test_wilsons_interval(self):
        low, high = datagrams.wilson(10, 100)
        self.assertAlmostEqual(low, 0.0552, places=4)
        self.assertAlmostEqual(high, 0.1744, places=4)
        self.assertAlmostEqual(datagrams.wilson(100, 100)[1], 1.0)

    def test_who_got_what_of_whom(self):
        answers = [{"sent": {"1": 10}, "received": {"1": 3}, "round_trips": {"1": [0.3, 0.1, 0.2]}},
                   {"sent": {"0": 5}, "received": {"0": 9}, "round_trips": {}}]
        there, back = datagrams.summaries(answers, 8192)[::-1]
        self.assertEqual((there["from"], there["to"]), (0, 1))
        self.assertAlmostEqual(there["loss"], 0.1)
        self.assertEqual(there["rtt"], {"min": 0.1, "median": 0.2, "p99": 0.3})
        self.assertEqual((back["from"], back["to"]), (1, 0))
        self.assertAlmostEqual(back["loss"], 0.4)
        self.assertEqual(back["rtt"]["median"], 0)


class Programs(unittest.TestCase):
    def test_matmul_sends_the_papers_messages(self):
        for ranks in (4, 9, 16):
            program = programs.matmul(ranks, 128)
            self.assertEqual(program.messages, round(2 * (ranks**1.5 - ranks)))
            self.assertEqual(program.message, 8 * 128 * 128)

    def test_packets_are_those_of_all_messages_and_of_no_message(self):
        program = programs.matmul(4, 128)
        self.assertEqual(program.packets_per_message(), 99)
        self.assertEqual(program.packets(), 8 * 99 + 4)
        self.assertAlmostEqual(program.sending(1e6), (8 * (131072 + 99 * 70) + 4 * 102) / 4 / 1e6)

    def test_a_halo_fits_one_packet(self):
        program = programs.jacobi(4, 1000, 5)
        self.assertEqual(program.packets_per_message(), 1)
        self.assertEqual(program.messages, 2 * 3)
        self.assertEqual(program.packets(), 4 * 3)

    def test_speedup_is_the_papers(self):
        # (5) with G = w / (2nτ) and ρ̂ = 1.5.
        work, nodes, half_round, rounds = 8.0, 4, 0.1, 1.5
        granularity = work / (2 * nodes * half_round)
        self.assertAlmostEqual(programs.speedup(work, nodes, 2 * rounds * half_round, 1),
                               nodes * granularity / (granularity + rounds))

    def test_without_loss_the_receiver_has_all_after_half_a_round_trip(self):
        program = programs.matmul(4, 128)
        self.assertAlmostEqual(programs.receiver_exchange(program, 2, (0.0, 0.07, 1e6)),
                               0.035 + 2 * program.sending(1e6))

    def test_what_is_lost_costs_the_receiver_round_trips(self):
        # 12 packets, three of a rank, sent in hardly any time: each round trip but for those that lack nothing.
        program = programs.jacobi(4, 1000, 5)
        expected = 0.035 + 0.07 * sum(1 - (1 - 0.1 ** (1 + 2 * round)) ** 12 for round in range(20))
        self.assertAlmostEqual(programs.receiver_exchange(program, 1, (0.1, 0.07, 1e15)), expected)

    def test_the_papers_exchange_is_rounds_of_two_tau(self):
        program = programs.matmul(4, 128)
        self.assertAlmostEqual(programs.paper_exchange(program, 3, (0.1, 0.07, 1e6), 1.5),
                               2 * 1.5 * (3 * program.sending(1e6) + 0.07))

    def test_an_exchange_lasts_from_the_last_begin_to_the_last_end(self):
        trace = [{"superstep": step, "rank": rank, "compute": compute, "communicate": communicate, "rounds": rounds}
                 for step, rank, compute, communicate, rounds in (
                     (0, 0, 1.0, 2.0, 1), (1, 0, 0.5, 1.0, 4), (0, 1, 2.0, 1.5, 3), (1, 1, 0.5, 0.25, 2),
                     (2, 0, 9.0, 9.0, 9), (2, 1, 9.0, 9.0, 9))]
        seconds, rounds = speedup.exchanges(trace, 2)
        self.assertEqual(seconds, [1.5, 0.5])  # 2.0 to 3.5, and 4.0 to 4.5
        self.assertEqual(rounds, [3, 4])

    def test_what_a_program_says_it_took_is_read(self):
        self.assertEqual(speedup.own_seconds("matmul: N=256 P=4 double 0.213 s, 0.158 GFlop/s\n"), 0.213)
        self.assertEqual(speedup.own_seconds("jacobi: 9x9 P=1 in 1x1 blocks, halo 1: ended after 5 sweeps, residual 0.1,"
                                             " 1.2e-05 s, 2.4 us a sweep\n"), 1.2e-05)
        self.assertIsNone(speedup.own_seconds(""))


unittest.main()
