#!/usr/bin/env python3
"""What benchmarks/wan/scorecard.py makes of the files of its senders, without a bed.

    scorecard_test.py BENCHMARKS/WAN
"""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.abspath(sys.argv.pop(1)))
sys.dont_write_bytecode = True

from sharing.scenario import Flow, Job, Link  # noqa: E402


class Senders(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def test_a_flow_has_what_had_come_by_then_and_no_half_line(self):
        flow = Flow.__new__(Flow)
        flow.path = self.write("flow", "ready\n1.000 100\n1.100 250\n1.200 400\n1.3")
        self.assertEqual([flow.bytes_at(when) for when in (0.9, 1.1, 1.15, 9)], [0, 250, 250, 400])

    def test_a_jobs_bytes_come_evenly_between_two_ends_of_supersteps(self):
        job = Job.__new__(Job)
        job.folder, job.bytes = self.folder, 1000
        self.write("0", "1.0\n2.0\n4.0\n")
        self.assertEqual([job.bytes_at(when) for when in (1.5, 2.0, 3.0, 4.0, 5.0)], [0, 1000, 1500, 2000, 2500])
        self.assertEqual(job.bytes_at(60), 3000, "one that does not come is one superstep at most")

    def test_a_link_has_a_queue_of_at_least_two_packets(self):
        self.assertEqual(Link(50, 40, 1).network(3), ["-n", "3", "--wan", "rtt=40ms,down=50Mbit,queue=250000B"])
        self.assertIn("queue=3000B", Link(1, 5, 0.1).network(3)[3])


unittest.main()
