#include "transport/peers/report_queue.hpp"

#include <algorithm>

namespace lbsp::transport {
namespace {

/// A report of one message with a short bitmap.
constexpr std::size_t usual_report_bytes = 100;

std::size_t bytes_for_all(Rank size) {
  return usual_report_bytes * static_cast<std::size_t>(std::max(size - 1, 1));
}

constexpr double soon = 10e-3;  // seconds

}  // namespace

BytesPerSecond ReportQueue::share_of(BytesPerSecond rate) const {
  const double wanted = static_cast<double>(round_bytes_) / soon;
  return {std::clamp(wanted, least_share * rate.value, most_share * rate.value)};
}

bool ReportQueue::is_expensive(BytesPerSecond rate) const {
  return share_of(rate).value > least_share * rate.value;
}

ReportQueue::ReportQueue(BytesPerSecond rate, Rank size, Instant now)
    : round_bytes_(bytes_for_all(size)),
      pacer_(share_of(rate), Pacer::Burst{round_bytes_}, now),
      idle_pacer_({idle_share * rate.value}, Pacer::Burst{round_bytes_}, now),
      round_(share_of(rate).time_for(static_cast<double>(round_bytes_))),
      expensive_(is_expensive(rate)) {}

void ReportQueue::set_rate(BytesPerSecond rate, Instant now) {
  pacer_.set_rate(share_of(rate), now);
  idle_pacer_.set_rate({idle_share * rate.value}, now);
  round_ = share_of(rate).time_for(static_cast<double>(round_bytes_));
  expensive_ = is_expensive(rate);
}

bool ReportQueue::ready(Instant now, bool idle) {
  if (due_.empty()) return false;
  of_share_ = pacer_.may_send(now);
  return of_share_ || (idle && idle_pacer_.may_send(now));
}

/// What goes only because no data waits must not delay the reports that go once some does.
void ReportQueue::sent(std::size_t bytes) {
  if (of_share_) pacer_.sent(bytes);
  idle_pacer_.sent(bytes);
}

Instant ReportQueue::next_release(bool idle) const {
  if (due_.empty()) return never;
  const Instant of_share = pacer_.next_release();
  return idle ? std::min(of_share, idle_pacer_.next_release()) : of_share;
}

}  // namespace lbsp::transport
