#include "transport/rate/burst_meter.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <utility>

namespace lbsp::transport {
namespace {

/// Sent without a pause: in so many times the time that it takes at the rate, and a little for timers.
constexpr double without_pause = 1.5;
constexpr double lateness_of_timers = 1e-3;  // seconds
/// Long enough to be judged before it ends.
constexpr int long_burst = 12;  // steps

}  // namespace

void Burst::add(const Burst& next) {
  if (sent == 0) begun = next.begun;
  sent += next.sent;
  to_all += next.to_all;
  arrived += next.arrived;
  sending += next.sending;
  arriving += next.arriving;
  queue = next.queue;
}

Burst Burst::of_all() const {
  return {to_all, to_all, sent > 0 ? to_all * arrived / sent : 0, sending, arriving, queue, begun};
}

AlikeSteps alike_steps(std::span<const Burst> steps, double by) {
  std::array<double, most_steps> times{};  // seconds for each byte
  const auto time_per_byte = [](const Burst& step) { return step.arriving / step.arrived; };
  const auto end = std::ranges::transform(steps, times.begin(), time_per_byte).out;
  std::array<double, most_steps> sorted = times;
  const auto median = static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(sorted.begin(), sorted.begin() + median, sorted.begin() + (end - times.begin()));
  const double usual = sorted[steps.size() / 2];
  AlikeSteps alike;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (times[i] > by * usual || times[i] * by < usual) continue;
    alike.sum.add(steps[i]);
    ++alike.count;
  }
  return alike;
}

BurstMeter::Seen BurstMeter::add(const TrainMark& mark, Duration queue, BytesPerSecond rate,
                                 BytesPerSecond own) {
  const std::optional<TrainMark> before = std::exchange(last_, mark);
  if (!before) return {};
  const std::chrono::microseconds arriving{static_cast<std::int32_t>(mark.arrived_at - before->arrived_at)};
  const auto bytes = static_cast<double>(mark.bytes - before->bytes);
  const double part = static_cast<double>(mark.arrived - before->arrived) /
                      static_cast<double>(std::max<std::uint64_t>(mark.packets - before->packets, 1));
  Seen seen;
  seen.step = {bytes,
               static_cast<double>(mark.bytes_to_all - before->bytes_to_all),
               bytes * part,
               seconds(mark.sent_at - before->sent_at),
               seconds(arriving),
               seconds(queue),
               before->sent_at};
  const double least = std::max(seen.step.to_all / rate.value, seen.step.sent / own.value);
  seen.paused = seen.step.sending > without_pause * least + lateness_of_timers;
  if (steps_ > 0 && (seen.paused || steps_ >= long_burst)) {
    seen.whole = std::exchange(burst_, {});
    steps_ = 0;
  }
  if (!seen.paused) {
    burst_.add(seen.step);
    ++steps_;
  }
  return seen;
}

}  // namespace lbsp::transport
