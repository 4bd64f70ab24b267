#include "transport/probe/datagram.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace lbsp::transport::probe {
namespace {

using transport::Duration;
using transport::WireReader;
using transport::WireWriter;

void put_duration(WireWriter& out, Duration value) {
  out.put(static_cast<std::uint64_t>(value.count()));
}

Duration get_duration(WireReader& in) {
  return Duration{static_cast<Duration::rep>(in.get<std::uint64_t>())};
}

bool acceptable_size(std::uint32_t bytes) {
  return bytes >= least_packet && bytes <= most_packet;
}

// What an end sends when the other asks for it ends by itself after this.
constexpr Duration longest_step = std::chrono::minutes{10};

}  // namespace

void write(WireWriter& out, const Header& header) {
  out.put(static_cast<std::uint8_t>(probe_version << 4 | static_cast<std::uint8_t>(header.kind)));
  out.put(std::uint8_t{0});
  out.put(header.session);
  out.put(header.tag);
  out.put(header.number);
}

std::optional<Header> read_header(std::span<const std::byte> datagram) {
  WireReader in(datagram);
  const auto first = in.get<std::uint8_t>();
  const auto zero = in.get<std::uint8_t>();
  const auto kind = static_cast<std::uint8_t>(first & 0x0f);
  Header header{static_cast<Kind>(kind), in.get<std::uint32_t>(), in.get<std::uint16_t>(),
                in.get<std::uint64_t>()};
  const bool known =
      kind >= static_cast<std::uint8_t>(Kind::hello) && kind <= static_cast<std::uint8_t>(Kind::probe);
  if (!in.ok() || first >> 4 != probe_version || zero != 0 || !known) return std::nullopt;
  return header;
}

void write(WireWriter& out, const Probe& probe) {
  constexpr auto tick = std::chrono::nanoseconds{100};
  constexpr Duration::rep most = std::numeric_limits<std::uint32_t>::max();
  out.put(static_cast<std::uint8_t>(probe.train ? 1 : 0));
  out.put(std::uint8_t{0});
  out.put(probe.step);
  out.put(probe.index);
  put_duration(out, probe.sent);
  out.put(probe.echo);
  out.put(static_cast<std::uint32_t>(std::clamp<Duration::rep>(probe.hold / tick, 0, most)));
}

std::optional<Probe> read_probe(WireReader& in) {
  const auto train = in.get<std::uint8_t>();
  const auto zero = in.get<std::uint8_t>();
  Probe probe;
  probe.train = train == 1;
  probe.step = in.get<std::uint16_t>();
  probe.index = in.get<std::uint32_t>();
  probe.sent = get_duration(in);
  probe.echo = in.get<std::uint32_t>();
  probe.hold = in.get<std::uint32_t>() * Duration{100};
  if (!in.ok() || train > 1 || zero != 0) return std::nullopt;
  return probe;
}

void write(WireWriter& out, const SizePlan& plan) {
  out.put(plan.bytes);
  out.put(plan.count);
  out.put(plan.period_microseconds);
}

SizePlan read_size_plan(WireReader& in) {
  const auto bytes = in.get<std::uint32_t>();
  const auto count = in.get<std::uint32_t>();
  return {bytes, count, in.get<std::uint32_t>()};
}

void write(WireWriter& out, const TrainPlan& plan) {
  out.put(plan.bytes);
  out.put(plan.count);
  out.put(plan.gap_nanoseconds);
}

TrainPlan read_train_plan(WireReader& in) {
  const auto bytes = in.get<std::uint32_t>();
  const auto count = in.get<std::uint32_t>();
  return {bytes, count, in.get<std::uint32_t>()};
}

void write(WireWriter& out, const LossSummary& summary) {
  out.put(summary.sent);
  out.put(summary.lost);
  out.put(summary.runs);
  for (const auto& copies : summary.copies) {
    out.put(copies.first_lost);
    out.put(copies.both_lost);
  }
}

LossSummary read_loss_summary(WireReader& in) {
  LossSummary summary;
  summary.sent = in.get<std::uint32_t>();
  summary.lost = in.get<std::uint32_t>();
  summary.runs = in.get<std::uint32_t>();
  for (auto& copies : summary.copies) {
    copies.first_lost = in.get<std::uint32_t>();
    copies.both_lost = in.get<std::uint32_t>();
  }
  return summary;
}

void write(WireWriter& out, const TrainSent& sent) {
  out.put(sent.count);
  put_duration(out, sent.span);
}

TrainSent read_train_sent(WireReader& in) {
  const auto count = in.get<std::uint32_t>();
  return {count, get_duration(in)};
}

void write(WireWriter& out, const TrainSeen& seen) {
  out.put(seen.received);
  out.put(seen.first);
  out.put(seen.last);
  put_duration(out, seen.span);
  out.put(seen.neighbours);
  put_duration(out, seen.between);
  put_duration(out, seen.growth);
}

TrainSeen read_train_seen(WireReader& in) {
  TrainSeen seen;
  seen.received = in.get<std::uint32_t>();
  seen.first = in.get<std::uint32_t>();
  seen.last = in.get<std::uint32_t>();
  seen.span = get_duration(in);
  seen.neighbours = in.get<std::uint32_t>();
  seen.between = get_duration(in);
  seen.growth = get_duration(in);
  return seen;
}

void write(WireWriter& out, double value) {
  out.put(std::bit_cast<std::uint64_t>(value));
}

double read_double(WireReader& in) {
  return std::bit_cast<double>(in.get<std::uint64_t>());
}

bool acceptable(const std::vector<SizePlan>& sizes, int rounds, transport::BytesPerSecond most) {
  if (sizes.empty() || sizes.size() > most_sizes || rounds < 1 || rounds > 100) return false;
  std::uint64_t count = 0;
  Duration length{0};
  for (const SizePlan& plan : sizes) {
    if (!acceptable_size(plan.bytes) || plan.count == 0 || plan.count > most_departures) return false;
    const bool known_pattern = plan.period_microseconds == LossSchedule::dense_period_microseconds ||
                               plan.period_microseconds >= LossSchedule::least_sparse_period_microseconds;
    if (!known_pattern || plan.period_microseconds > 60'000'000) return false;
    const bool is_dense = plan.period_microseconds == LossSchedule::dense_period_microseconds;
    if (plan.bytes * (is_dense ? 3.0 : 6.0) / plan.period_microseconds * 1e6 > most.value * 1.01)
      return false;
    count += plan.count;
    length += length_of(plan);
  }
  return count <= most_departures && length <= longest_step;
}

bool acceptable_turns(const std::vector<SizePlan>& sizes, transport::BytesPerSecond most) {
  constexpr std::uint32_t most_turns = 100;
  if (sizes.empty() || sizes.size() > most_sizes) return false;
  Duration length{0};
  for (const SizePlan& plan : sizes) {
    if (!acceptable_size(plan.bytes) || plan.count == 0 || plan.count > most_turns) return false;
    if (plan.period_microseconds == 0) return false;
    if (plan.bytes * 1e6 / plan.period_microseconds > most.value * 1.01) return false;
    length += plan.count * std::chrono::microseconds{plan.period_microseconds};
  }
  return length <= longest_step;
}

bool acceptable(const TrainPlan& plan, transport::BytesPerSecond most) {
  if (!acceptable_size(plan.bytes) || plan.count == 0 || plan.count > most_departures) return false;
  return plan.gap_nanoseconds > 0 && plan.rate() <= most.value * 1.01 && plan.length() <= longest_step;
}

}  // namespace lbsp::transport::probe
