// How jobs fare behind a link that marks what waits (ECN) before it drops, beside one that only drops, in virtual time:
// what each job carries, the queue, drops and marks, in ten seconds after the last job has been there for four.
//
//   marking_links [--only BEGINNING] [--seed S]

#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "benchmarks/congestion/run_program.hpp"
#include "tests/lbsp/plan/marking_link.hpp"
#include "tools/command_line/command_line.hpp"

namespace lbsp::bench {
namespace {

using namespace std::chrono_literals;
using EcnFault = transport::FaultPlan::EcnFault;

struct Cell {
  const char* name;
  plan::MarkingLink link = {};
};

void print(const Cell& cell, bool marks, std::uint64_t seed) {
  plan::MarkingLink link = cell.link;
  link.marks = marks;
  link.settling = 4s;
  link.watched = 10s;
  const plan::BehindMarkingLink seen = plan::behind(link, seed);
  std::string shares;
  for (const double each : seen.megabits)
    shares += fmt::format("{}{:.1f}", shares.empty() ? "" : " ", each);
  if (link.cubic) shares += fmt::format(" + {:.1f}", seen.cubic);
  fmt::print("{:<52} {:<6} {:<32} {:>8.1f} {:>8.2f}% {:>8.2f}% {:>6.2f}\n", cell.name,
             marks ? "marks" : "drops", shares, seen.late_queue, 100 * seen.drops, 100 * seen.marks,
             seen.wire);
  std::fflush(stdout);
}

constexpr std::uint64_t kibibyte = 1 << 10;

std::vector<Cell> cells() {
  return {
      {"one job, found"},
      {"one job, told twice the rate", {.told = 100}},
      {"one job, found, 10 %", {.wan = "rtt=40ms,loss=10%"}},
      {"one job, found, marks at 1 ms", {.mark_bytes = 6 * kibibyte}},
      {"one job, found, marks at 20 ms", {.mark_bytes = 122 * kibibyte}},
      {"one job, found, jitter of 10 ms", {.wan = "rtt=70ms,jitter=10ms"}},
      {"one job, told twice the rate, jitter of 10 ms", {.wan = "rtt=70ms,jitter=10ms", .told = 100}},
      {"one job, found, RTT 5 ms", {.wan = "rtt=5ms"}},
      {"two jobs, found", {.jobs = 2}},
      {"four jobs, found", {.jobs = 4}},
      {"four jobs, found, 10 %", {.wan = "rtt=40ms,loss=10%", .jobs = 4}},
      {"four jobs, told", {.jobs = 4, .told = 50}},
      {"four jobs, found, a queue of 4 ms", {.jobs = 4, .queue_bytes = 25'000, .mark_bytes = 10'000}},
      {"four jobs, found, RTT 5 ms, a queue of 5 ms",
       {.wan = "rtt=5ms", .jobs = 4, .queue_bytes = 31'250, .mark_bytes = 10'000}},
      {"one job, found, beside a cubic", {.cubic = true}},
      {"one job, told, beside a cubic", {.told = 50, .cubic = true}},
      {"one job, found, marks are cleared", {.fault = EcnFault::cleared}},
      {"one job, found, all is marked", {.fault = EcnFault::all_marked}},
      {"one job, found, nothing is told", {.fault = EcnFault::not_told}},
      {"one job, found, all that waits is marked", {.mark_bytes = 0}},
  };
}

void run(const std::vector<std::string>& words) {
  std::string only;
  std::uint64_t seed = 1;
  command_line::CommandLine line("marking_links", "Jobs behind links that mark what waits.", "");
  line.add("--only", only, "BEGINNING", "the cells whose names begin so");
  line.add_whole("--seed", seed, "of the network's chances");
  if (!line.parse(words)) return;
  fmt::print("{:<52} {:<6} {:<32} {:>8} {:>9} {:>9} {:>6}\n", "", "", "Mbit/s", "queue ms", "dropped",
             "marked", "wire");
  for (const Cell& cell : cells()) {
    if (!std::string(cell.name).starts_with(only)) continue;
    for (const bool marks : {false, true})
      print(cell, marks, seed);
  }
}

}  // namespace
}  // namespace lbsp::bench

int main(int argc, char** argv) {
  return lbsp::bench::run_program(lbsp::bench::run, argc, argv);
}
