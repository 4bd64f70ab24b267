#pragma once

#include <gtest/gtest.h>
#include <memory>
#include <vector>

#include "transport/membership/agreement.hpp"

namespace lbsp::transport::testing {

using namespace std::chrono_literals;
using Stage = Agreement::Stage;

inline constexpr Instant start{1s};
inline constexpr Duration limit = 1s;
inline constexpr Duration round_trip = 20ms;

/// The members 0 … n-1, and datagrams that arrive at once. Who is `silent` says nothing and hears nothing.
class Members {
 public:
  /// New processes that have come may take any lost slot but 4, for which none comes.
  explicit Members(Slot size, Duration newcomer_wait = 0s) {
    for (Slot slot = 0; slot < size; ++slot) {
      AgreementConfig config{.self = slot, .members = MemberSet::first(size), .peer_timeout = limit};
      config.round_trip = round_trip;
      config.newcomer_wait = newcomer_wait;
      if (newcomer_wait > 0s)
        config.seats = [](const MemberSet& open) {
          std::vector<Seat> seats;
          (open - MemberSet{4}).for_each([&](Slot lost) {
            seats.push_back({.slot = lost, .spare = 0, .incarnation = {}});
          });
          return seats;
        };
      members_.push_back(std::make_unique<Agreement>(config, Held{6, 7}, start));
    }
  }

  Agreement& operator[](Slot slot) { return *members_[static_cast<std::size_t>(slot)]; }
  bool passes(Slot from, Slot to) const {
    const bool deaf = to == deaf_slot && unheard.has(from);
    return !silent.has(from) && !silent.has(to) && side.has(from) == side.has(to) && !deaf;
  }

  /// Time passes in small steps, and everybody who runs is heard in each.
  void pass(Duration time) {
    for (const Instant end = now + time; now < end; now += 1ms) {
      for (Slot from = 0; from < size(); ++from)
        speak(from);
    }
  }

  /// 4 is lost, and the others wait for a new process in its place.
  void lose_and_wait() {
    pass(100ms);
    silent = {4};
    pass(limit + 50ms);
    EXPECT_EQ((*this)[0].stage(), Stage::viewing);
  }

  Instant now = start;
  MemberSet silent;
  MemberSet side;       ///< from the others nothing passes to these
  Slot deaf_slot = -1;  ///< hears nothing …
  MemberSet unheard;    ///< … of these

 private:
  Slot size() const { return static_cast<Slot>(members_.size()); }
  void speak(Slot from) {
    if (silent.has(from)) return;
    Agreement& speaker = (*this)[from];
    if (speaker.next_timeout() <= now) speaker.handle_timeout(now);
    if (speaker.stage() == Stage::run) {
      for (Slot to = 0; to < size(); ++to) {
        if (to != from && passes(from, to)) (*this)[to].heard(from, now);
      }
    }
    while (const auto to = speaker.poll(now)) {
      if (passes(from, *to)) (*this)[*to].take(from, speaker.view(), now);
    }
  }

  std::vector<std::unique_ptr<Agreement>> members_;
};

}  // namespace lbsp::transport::testing
