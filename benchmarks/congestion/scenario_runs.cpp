#include "benchmarks/congestion/scenario_runs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace lbsp::bench {
namespace {

using transport::CongestionControl;

constexpr double settled_round_trips = 20;  // after the last start or change
constexpr double most_drops = 0.01;

Bar at_most(std::string_view name, double value, double limit) {
  return {name, value / limit};
}

Bar at_least(std::string_view name, double value, double limit) {
  return {name, value > 0 ? limit / value : std::numeric_limits<double>::infinity()};
}

Bar short_queue(const Passage& passage, const LinkSpec& link, double of_others_ms = 0) {
  return at_most("delay", passage.delay_ms, of_others_ms + std::max(10., link.round_trip_ms / 4));
}

Bar few_drops(double drops) {
  return at_most("drops", drops, most_drops);
}

/// What every job is told; 0: nothing.
double told_rate(bool told, const LinkSpec& link) {
  return told ? link.megabits : 0;
}

/// Flows, and besides them a job, or a cubic where `told` is nullopt; who comes later does so after ten seconds. The
/// passage is the minute after ten further seconds.
Passage flows_and(std::optional<bool> told, CongestionControl control, int flows, const LinkSpec& link,
                  Order order) {
  constexpr double later = 10;
  SharedLink shared(link);
  for (int flow = 0; flow < flows; ++flow)
    shared.add_flow(control, (order == Order::flows_first ? 0 : later) + 0.1 * flow);
  const double other = order == Order::flows_first ? later : 0;
  if (told) {
    shared.add_job(other, told_rate(*told, link));
  } else {
    shared.add_flow(CongestionControl::cubic, other);
  }
  shared.run(2 * later);
  return shared.run(60);
}

/// Within how many milliseconds 95 of 100 flows of 100 kB end, five of which begin each second.
double short_flows_ms(std::optional<bool> told, std::uint64_t seed) {
  constexpr int flows = 100;
  constexpr std::uint64_t segments = 70;
  const LinkSpec link{.seed = seed};
  SharedLink shared(link);
  if (told) {
    shared.add_job(0, told_rate(*told, link));
  } else {
    shared.add_flow(CongestionControl::cubic, 0);
  }
  for (int flow = 0; flow < flows; ++flow)
    shared.add_flow(CongestionControl::cubic, 10 + 0.2 * flow, segments);
  constexpr double patience = 40;
  shared.run(patience);
  std::vector<double> seconds = shared.finished_seconds();
  seconds.resize(flows, patience);
  std::ranges::sort(seconds);
  return 1000 * seconds[flows * 95 / 100 - 1];
}

}  // namespace

Outcome alone(const LinkSpec& link, bool told) {
  SharedLink shared(link);
  shared.add_job(0, told_rate(told, link));
  shared.run(std::max(1., settled_round_trips * shared.round_trip_seconds()));
  const Passage passage = shared.run(std::max(5., 120 * shared.round_trip_seconds()));
  return {fmt::format("uses {:.1f} %, delay {:.1f} ms, drops {:.2f} %, wire {:.2f} x payload",
                      100 * passage.used, passage.delay_ms, 100 * passage.drops, passage.wire_per_payload),
          {at_least("use", passage.used, 0.95), short_queue(passage, link), few_drops(passage.drops)}};
}

Outcome jobs(int number, const LinkSpec& link, bool told, double apart_seconds) {
  SharedLink shared(link);
  for (int job = 0; job < number; ++job)
    shared.add_job(apart_seconds * job, told_rate(told, link));
  shared.run(apart_seconds * (number - 1) + settled_round_trips * shared.round_trip_seconds());
  const Passage passage = shared.run(std::max(10., 60 * shared.round_trip_seconds()));
  const auto [least, most] = std::ranges::minmax(passage.megabits);
  return {fmt::format("{:.3g} to {:.3g} Mbit/s, uses {:.1f} %, delay {:.1f} ms, drops {:.2f} %", least, most,
                      100 * passage.used, passage.delay_ms, 100 * passage.drops),
          {at_least("shares", least, most / 1.3), short_queue(passage, link), few_drops(passage.drops)}};
}

Outcome beside(CongestionControl control, int flows, const LinkSpec& link, Order order, bool told) {
  const Passage with_job = flows_and(told, control, flows, link, order);
  const Passage with_cubic = flows_and(std::nullopt, control, flows, link, order);
  const auto of_flows = [](const Passage& passage) {
    double sum = 0;
    for (std::size_t flow = 0; flow + 1 < passage.megabits.size(); ++flow)
      sum += passage.megabits[flow];
    return sum;
  };
  const double ours = with_job.megabits.back();
  return {
      fmt::format(
          "keeps {:.3g} Mbit/s ({:.3g} beside a cubic), job {:.3g}, delay {:.0f} ms ({:.0f}), drops {:.2f} %",
          of_flows(with_job), of_flows(with_cubic), ours, with_job.delay_ms, with_cubic.delay_ms,
          100 * with_job.drops),
      {at_least("share of TCP", of_flows(with_job), 0.8 * of_flows(with_cubic)),
       at_least("share of the job", ours, 0.1 * link.megabits / flows),
       short_queue(with_job, link, with_cubic.delay_ms)}};
}

Outcome short_flows(bool told, std::uint64_t seed) {
  const double beside_job = short_flows_ms(told, seed);
  const double beside_cubic = short_flows_ms(std::nullopt, seed);
  return {fmt::format("95 % end within {:.0f} ms ({:.0f} beside a cubic)", beside_job, beside_cubic),
          {at_most("time", beside_job, 1.5 * beside_cubic)}};
}

Outcome policer(double burst, bool told, std::uint64_t seed) {
  const LinkSpec link{.megabits = 50, .queue = burst, .polices = true, .seed = seed};
  SharedLink shared(link);
  shared.add_job(0, 2 * told_rate(told, link));
  shared.run(std::max(1., settled_round_trips * shared.round_trip_seconds()));
  const Passage passage = shared.run(10);
  return {fmt::format("uses {:.1f} %, drops {:.2f} %, wire {:.2f} x payload", 100 * passage.used,
                      100 * passage.drops, passage.wire_per_payload),
          {at_least("use", passage.used, 0.85), few_drops(passage.drops)}};
}

Outcome jobs_behind_policer(int number, const LinkSpec& link, bool told) {
  constexpr double apart = 2;
  SharedLink shared(link);
  for (int job = 0; job < number; ++job)
    shared.add_job(apart * job, 2 * told_rate(told, link));
  shared.run(apart * (number - 1) + 5);
  const Passage passage = shared.run(20);
  const auto [least, most] = std::ranges::minmax(passage.megabits);
  return {
      fmt::format("{:.3g} to {:.3g} Mbit/s, uses {:.1f} %, drops {:.2f} %", least, most, 100 * passage.used,
                  100 * passage.drops),
      {at_least("use", passage.used, 0.9), at_least("shares", least, most / 2), few_drops(passage.drops)}};
}

Outcome change(double from, double to, bool told, std::uint64_t seed) {
  constexpr double before = 10;
  const LinkSpec link{.megabits = from, .changes = {{before, to}}, .seed = seed};
  SharedLink shared(link);
  shared.add_job(0, told ? std::max(from, to) : 0);
  shared.run(before);
  const double window = 4 * shared.round_trip_seconds();
  std::optional<double> settled;
  double drops = 0;
  for (double seconds = window; seconds <= before; seconds += window) {
    const Passage passage = shared.run(window);
    if (seconds > settled_round_trips * shared.round_trip_seconds()) drops = std::max(drops, passage.drops);
    if (passage.megabits[0] >= 0.9 * to && passage.drops < most_drops && !settled)
      settled = seconds / shared.round_trip_seconds();
  }
  return {fmt::format("90 % of it without drops after {} round trips; then drops of up to {:.2f} %",
                      settled ? fmt::format("{:.0f}", *settled) : "more than 250", 100 * drops),
          {at_most("time", settled.value_or(1e3), settled_round_trips), few_drops(drops)}};
}

}  // namespace lbsp::bench
