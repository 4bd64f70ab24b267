#include "tools/launch/processes/straggler_watch.hpp"

#include <chrono>
#include <utility>

namespace lbsp::launch::processes {
namespace {

/// The loop reads what has come between two timers, however late they are.
constexpr std::chrono::milliseconds between_looks_at_stragglers{100};
constexpr int most_quiet_looks = 5;
constexpr int most_looks = 100;

}  // namespace

StragglerWatch::StragglerWatch(uv::Loop& loop, std::function<void()> give_up)
    : give_up_(std::move(give_up)), timer_(loop) {}

void StragglerWatch::look_later() {
  timer_.start(between_looks_at_stragglers, [this] {
    if (held_) return look_later();
    if (++quiet_looks_ < most_quiet_looks && ++looks_ < most_looks) return look_later();
    give_up_();
  });
}

}  // namespace lbsp::launch::processes
