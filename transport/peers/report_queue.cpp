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
      round_(share_of(rate).time_for(static_cast<double>(round_bytes_))),
      expensive_(is_expensive(rate)) {}

void ReportQueue::set_rate(BytesPerSecond rate, Instant now) {
  pacer_.set_rate(share_of(rate), now);
  round_ = share_of(rate).time_for(static_cast<double>(round_bytes_));
  expensive_ = is_expensive(rate);
}

}  // namespace lbsp::transport
