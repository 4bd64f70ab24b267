#include "transport/simulated/bottleneck.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "transport/splitmix.hpp"

namespace lbsp::transport {
namespace {

constexpr double datagrams_of_chance = 2;

}  // namespace

Bottleneck::Bottleneck(BottleneckSpec spec) : spec_(std::move(spec)), active_(spec_.rule) {}

std::optional<Instant> Bottleneck::send(Instant now, std::size_t bytes) {
  Ecn ecn = Ecn::none;
  return send(now, bytes, ecn);
}

std::optional<Instant> Bottleneck::send(Instant now, std::size_t bytes, Ecn& ecn) {
  if (now < now_) throw std::logic_error("a datagram came to a link before one that was there already");
  now_ = now;
  free_at_ = std::max(free_at_, now);
  const double left_free = spec_.exact ? 0 : datagrams_of_chance * chance() * static_cast<double>(bytes);
  const double waiting = carried_between(now, free_at_);
  if (waiting > static_cast<double>(spec_.queue_bytes + spec_.bucket_bytes) - left_free) {
    ++drops_;
    return std::nullopt;
  }
  if (spec_.mark_bytes && ecn == Ecn::capable && waiting > static_cast<double>(*spec_.mark_bytes)) {
    ecn = Ecn::marked;
    ++marks_;
  }
  if (active_.signals(now, std::max(leaves(free_at_, now) - now, Duration{0}))) {
    if (!spec_.rule_marks || ecn == Ecn::none) {
      ++drops_;
      return std::nullopt;
    }
    marks_ += ecn == Ecn::capable ? 1 : 0;
    ecn = Ecn::marked;
  }
  carried_bytes_ += bytes;
  ++datagrams_;
  free_at_ = after(free_at_, static_cast<double>(bytes));
  return spec_.polices ? now : leaves(free_at_, now);
}

Instant Bottleneck::leaves(Instant without_bucket, Instant now) const {
  if (spec_.bucket_bytes == 0) return without_bucket;
  return std::max(now, without_bucket - rate(now).time_for(static_cast<double>(spec_.bucket_bytes)));
}

/// Uniform in [0, 1).
double Bottleneck::chance() const {
  constexpr int bits = 53;
  return static_cast<double>(splitmix(datagrams_ + (drops_ << 32)) >> (64 - bits)) * 0x1p-53;
}

BytesPerSecond Bottleneck::rate(Instant time) const {
  BytesPerSecond rate = spec_.rate;
  for (const BottleneckSpec::Change& change : spec_.changes) {
    if (change.at <= time) rate = change.rate;
  }
  return rate;
}

Instant Bottleneck::next_change(Instant time) const {
  const auto next =
      std::ranges::find_if(spec_.changes, [time](const auto& change) { return change.at > time; });
  return next == spec_.changes.end() ? never : next->at;
}

double Bottleneck::carried_between(Instant from, Instant to) const {
  double bytes = 0;
  while (from < to) {
    const Instant until = std::min(to, next_change(from));
    bytes += seconds(until - from) * rate(from).value;
    from = until;
  }
  return bytes;
}

/// When so many bytes have left, if the first leaves at `from`.
Instant Bottleneck::after(Instant from, double bytes) const {
  for (;;) {
    const Instant until = next_change(from);
    const double carried = until == never ? bytes : carried_between(from, until);
    if (carried >= bytes) return from + rate(from).time_for(bytes);
    bytes -= carried;
    from = until;
  }
}

}  // namespace lbsp::transport
