#pragma once

#include <chrono>
#include <optional>

#include "tools/launch/report/job_report.hpp"

/// Figures of supersteps, and reports that are made of them.
namespace lbsp::launch::report {

using namespace std::chrono_literals;

inline SuperstepFigures figures(double compute, double communicate, std::uint64_t sent) {
  SuperstepFigures one{
      .compute = Seconds{compute}, .communicate = Seconds{communicate}, .h = sent, .traffic = {}};
  one.traffic.datagrams_sent = sent;
  one.traffic.segments_sent = sent;
  one.traffic.payload_bytes_sent = 100 * sent;
  return one;
}

inline SuperstepFigures foreseen(double compute, double communicate, std::chrono::milliseconds predicted,
                                 int copies) {
  SuperstepFigures one = figures(compute, communicate, 1);
  one.forecast = {
      .duration = predicted, .earlier = predicted / 4, .later = predicted / 2, .most_copies = copies};
  return one;
}

inline places::Placement two_hosts() {
  return {.size = 2,
          .hosts =
              {{.name = "a", .user = {}, .address = "10.0.0.1", .local = false, .first_rank = 0, .ranks = 1},
               {.name = "b", .user = {}, .address = "10.0.0.2", .local = false, .first_rank = 1, .ranks = 1}},
          .bind_address = "0.0.0.0"};
}

/// Two ranks, two supersteps: each rank is the slower one once.
inline JobReport two_ranks(std::optional<bool> verified) {
  request::RunOptions options;
  options.program = "prog";
  JobReport report(options, two_hosts());
  report.add(0, job::Steps{0, {figures(1, 3, 10), figures(2, 0, 20)}});
  report.add(1, job::Steps{0, {figures(4, 0, 30), figures(1, 1, 40)}});
  job::RankReport first{
      .supersteps = 2,
      .total = Seconds{7},
      .totals = figures(3.5, 3, 31),
      .network = {.loss = 0.1, .loss_sample = 100, .round_trip_time = 20ms, .bandwidth = {}, .rate = {1e6}},
      .verified = verified};
  job::RankReport second{
      .supersteps = 2,
      .total = Seconds{6},
      .totals = figures(5, 1, 70),
      .network = {.loss = 0.2, .loss_sample = 300, .round_trip_time = 0ms, .bandwidth = {8e6}, .rate = {3e6}},
      .verified = std::nullopt};
  first.totals.traffic.copies_sent = 10;
  second.totals.traffic.segments_resent = 11;
  report.add(0, first);
  report.add(1, second);
  return report;
}

/// Two ranks that predicted 2 s for a superstep of 1 s.
inline JobReport mistaken() {
  request::RunOptions options;
  options.exchange.redundancy = transport::Redundancy::fixed;
  options.exchange.copies = 3;
  JobReport report(options, two_hosts());
  for (const Rank rank : {0, 1}) {
    report.add(rank, job::Steps{0, {foreseen(1, 1, 2000ms, 3)}});
    report.add(rank, job::RankReport{.supersteps = 1,
                                     .total = Seconds{2},
                                     .start = Seconds{0.25 * (1 + rank)},
                                     .end = Seconds{0.5 / (1 + rank)},
                                     .totals = {},
                                     .network = {},
                                     .verified = {}});
  }
  return report;
}

/// Two ranks, each of which may be lost.
inline JobReport lasting_report() {
  request::RunOptions options;
  options.exchange.outlives_ranks = true;
  JobReport report(options, two_hosts());
  report.losses().begin(2);
  return report;
}

}  // namespace lbsp::launch::report
