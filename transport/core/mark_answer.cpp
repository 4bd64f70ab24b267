#include "transport/core/mark_answer.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace lbsp::transport {
namespace {

/// What is left of a rate after marks (RFC 8511), and by what Cubic grows: datagrams for each cube of a second, and
/// those of a round trip in which it is as fast as Reno.
constexpr double left_by_marks = 0.85;
constexpr double cubic_scale = 0.4;
constexpr double reno_step = 3 * (1 - left_by_marks) / (1 + left_by_marks);
/// At once.
constexpr double most_growth = 1.25;
/// Where nothing is marked.
constexpr double growth_in_pause = 1.25;

/// Of what came through of late. If most datagrams are still marked with so little after so many rounds in a row,
/// although no queue is seen, …
constexpr double little_of_through = 0.125;
constexpr double most_marked = 0.5;
constexpr int rounds_to_doubt = 8;
/// … marks do not count for so long, and twice as long each time.
constexpr Duration first_doubt_of_marks = std::chrono::seconds{10};
constexpr Duration longest_doubt_of_marks = std::chrono::seconds{60};

}  // namespace

MarkAnswer::Verdict MarkAnswer::judge(const QueueSeen& seen, std::optional<BytesPerSecond> rate,
                                      double through, double tolerated) {
  if (!rate) of_bound_ = false;
  marked_rounds_ = seen.marked >= most_marked && seen.queue <= tolerated / 2 ? marked_rounds_ + 1 : 0;
  if (seen.marked == 0 || seen.later_at - doubted_at_ < doubt_) return Verdict::none;
  const bool little = rate && rate->value < little_of_through * through;
  if (little && marked_rounds_ >= rounds_to_doubt) {
    doubt_ = std::clamp(2 * doubt_, first_doubt_of_marks, longest_doubt_of_marks);
    doubted_at_ = seen.later_at;
    highest_ = 0;
    return Verdict::in_vain;
  }
  of_bound_ = of_burst_ = true;
  return Verdict::marked;
}

/// Who did not get as far as before leaves room for others (RFC 9438, section 4.7).
double MarkAnswer::fallen(double carried) {
  highest_ = carried < highest_ ? carried * (1 + left_by_marks) / 2 : carried;
  rising_.reset();
  return left_by_marks * carried;
}

/// Cubic itself would be nearly there at once, and stay: who had more would keep more.
std::optional<double> MarkAnswer::risen(double base, const Path& path, Instant now) {
  if (!of_bound_ || highest_ == 0) return std::nullopt;
  if (!rising_) rising_ = now;
  const double round_trip = seconds(path.round_trip);
  const double datagrams = round_trip / static_cast<double>(path.datagram_bytes);  // for each byte per second
  const double highest = highest_ * datagrams;
  const double fallen = (1 - left_by_marks) * highest;
  const double as_cubic = std::cbrt(fallen / cubic_scale);
  const double as_reno = fallen * round_trip / reno_step;
  const double until = std::min(as_cubic, as_reno);
  const double since = seconds(now - *rising_) + round_trip;
  const double beyond = since - until;
  const double rate =
      beyond < 0 ? highest + fallen * beyond / until
                 : highest + std::max(reno_step * beyond / round_trip, cubic_scale * std::pow(beyond, 3));
  return std::min(rate / datagrams, most_growth * base);
}

double MarkAnswer::after_pause(double before, const Path& path, Instant now) {
  if (std::exchange(of_burst_, false)) return before;
  const auto rate = risen(before, path, now);
  return rate ? std::max(*rate, before) : growth_in_pause * before;
}

}  // namespace lbsp::transport
