#include "transport/queues/bound/mark_answer.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace lbsp::transport {
namespace {

/// A TCP gives way by so much, and more: those that share a queue with others of this kind see most of its marks.
constexpr double yield_to_marks = 0.15;
/// Without marks, the rate comes back to so much of what had come through, half of the way in each round, and stays
/// there for some rounds.
constexpr double nearly_marked = 0.97;
constexpr int rounds_to_hold = 8;
/// Where nothing is marked.
constexpr double growth_in_pause = 1.25;

/// Of what came through of late. If most datagrams are still marked with so little, although no queue is seen, …
constexpr double little_of_through = 0.125;
constexpr double most_marked = 0.5;
/// … marks do not count for so long, and twice as long each time.
constexpr Duration first_doubt_of_marks = std::chrono::seconds{10};
constexpr Duration longest_doubt_of_marks = std::chrono::seconds{60};

}  // namespace

MarkAnswer::Verdict MarkAnswer::judge(const QueueSeen& seen, std::optional<BytesPerSecond> rate,
                                      double through, double tolerated) {
  if (!rate) of_bound_ = false;
  if (seen.marked == 0 || seen.later_at - doubted_at_ < doubt_) return Verdict::none;
  const bool little = rate && rate->value < little_of_through * through;
  if (little && seen.marked >= most_marked && seen.queue <= tolerated / 2) {
    doubt_ = std::clamp(2 * doubt_, first_doubt_of_marks, longest_doubt_of_marks);
    doubted_at_ = seen.later_at;
    before_ = 0;
    return Verdict::in_vain;
  }
  of_bound_ = of_burst_ = true;
  return Verdict::marked;
}

double MarkAnswer::fallen(double carried) {
  before_ = carried;
  quiet_rounds_ = 0;
  return (1 - yield_to_marks) * carried;
}

std::optional<double> MarkAnswer::held(double base) {
  if (before_ == 0) return std::nullopt;
  if (++quiet_rounds_ > rounds_to_hold) {
    before_ = 0;
    return std::nullopt;
  }
  const double most = nearly_marked * before_;
  return most > base ? (base + most) / 2 : base;
}

double MarkAnswer::after_pause(double carried) {
  if (std::exchange(of_burst_, false)) return carried;
  return held(carried).value_or(growth_in_pause * carried);
}

}  // namespace lbsp::transport
