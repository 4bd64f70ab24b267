#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <queue>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "schedule.hpp"
#include "transport/membership/view.hpp"
#include "transport/splitmix.hpp"

namespace lbsp::transport::testing {

struct Datagram {
  Slot from = 0;
  std::uint64_t key = 0;   ///< of the sender's epoch; who has another one cannot read it
  std::uint64_t sent = 0;  ///< the newest superstep for which the sender's message is out
  std::shared_ptr<const View> view = {};
  bool ended = false;  ///< nothing of the sender, but the word that it has ended
};

struct Event {
  Instant at;
  std::uint64_t number;  ///< events at one time happen in the order in which they were planned
  Slot to;
  std::shared_ptr<const Datagram> datagram;  ///< none: the process wakes up

  friend bool operator>(const Event& left, const Event& right) {
    return std::tie(left.at, left.number) > std::tie(right.at, right.number);
  }
};

/// What a schedule does to a job: the network that carries its datagrams, who does not run, and who dies.
class Fate {
 public:
  static constexpr Instant start{std::chrono::seconds{1}};

  explicit Fate(const Schedule& schedule) : schedule_(schedule), random_(splitmix(schedule.seed)) {
    for (const auto& death : schedule.deaths)
      wake(death.slot, start + death.at);
    for (const auto& freeze : schedule.freezes)
      wake(freeze.slot, start + freeze.end);
    for (const auto& notice : schedule.notices) {
      const auto word = std::make_shared<const Datagram>(Datagram{.from = notice.of, .ended = true});
      notice.to.for_each([&](Slot slot) { events_.push({start + notice.at, number_++, slot, word}); });
    }
  }

  Instant now() const { return now_; }
  /// Nothing goes wrong any more, but for lost datagrams.
  bool over() const { return now_ >= start + schedule_.end(); }
  double fraction() { return static_cast<double>(random_() >> 11) * 0x1p-53; }
  Duration part_of(Duration most) {
    return Duration{static_cast<Duration::rep>(fraction() * static_cast<double>(most.count()))};
  }

  void wake(Slot slot, Instant at) { events_.push({at, number_++, slot, nullptr}); }

  bool nothing_before(Instant bound) const { return events_.empty() || events_.top().at > bound; }
  Event next() {
    Event event = events_.top();
    events_.pop();
    now_ = event.at;
    return event;
  }

  void send(Slot to, Datagram datagram) {
    if (!passes(datagram.from, to)) return;
    const Instant at = now_ + schedule_.one_way + part_of(schedule_.one_way / 2);
    events_.push({at, number_++, to, std::make_shared<const Datagram>(std::move(datagram))});
  }

  bool frozen(Slot slot) const {
    return std::ranges::any_of(schedule_.freezes, [&](const Schedule::Freeze& freeze) {
      return freeze.slot == slot && start + freeze.begin <= now_ && now_ < start + freeze.end;
    });
  }

  bool dies_now(Slot slot) const {
    return std::ranges::any_of(schedule_.deaths, [&](const Schedule::Death& death) {
      return death.slot == slot && start + death.at <= now_;
    });
  }

  /// While it says its view for the so-manieth time, and has told so many.
  bool dies_speaking(Slot slot, int saying, int told) const {
    return std::ranges::any_of(schedule_.deaths_speaking, [&](const Schedule::DeathSpeaking& death) {
      return death.slot == slot && death.saying == saying && death.told <= told;
    });
  }

 private:
  bool passes(Slot from, Slot to) {
    for (const auto& cut : schedule_.cuts) {
      if (cut.from.has(from) && cut.to.has(to) && start + cut.begin <= now_ && now_ < start + cut.end)
        return false;
    }
    return fraction() >= schedule_.loss;
  }

  const Schedule& schedule_;
  std::mt19937_64 random_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  Instant now_ = start;
  std::uint64_t number_ = 0;
};

}  // namespace lbsp::transport::testing
