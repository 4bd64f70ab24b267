#pragma once

#include <algorithm>
#include <cstdint>

#include "transport/units.hpp"

namespace lbsp::transport {

/// The clock of the paper's two recovery schemes: time goes in rounds of 2τ, with τ = k·h·α + β, where k is
/// the number of copies, h the segments this rank sends in the leg, α the time one occupies the link, and β
/// the round trip. Lost segments are sent again at the beginning of a round only, and a leg ends with a
/// round.
class RoundClock {
 public:
  void start(Duration two_tau, Instant now) {
    length_ = two_tau;
    rounds_ = 0;
    next();
    deadline_ = now + length_;
  }

  /// Begins the next round where the last one ended, unless the driver was late by more than a round. If more
  /// acknowledgements came too late for their round than in time, as on a busy machine, it is twice as long.
  void advance(Instant now) {
    if (acknowledgements_are_late() && length_ < longest) length_ *= 2;
    next();
    deadline_ = std::max(deadline_ + length_, now);
  }

  /// An acknowledgement has come that counts for this round, or one of a round that is over.
  void acknowledged(bool in_time) { ++(in_time ? in_time_ : late_); }
  bool acknowledgements_are_late() const { return late_ > in_time_; }

  /// How many rounds have begun since start().
  std::uint64_t count() const { return rounds_; }
  /// 1 …, 65535, 1, …; 0 is no round.
  std::uint16_t number() const { return number_; }
  Instant deadline() const { return deadline_; }
  Duration length() const { return length_; }

 private:
  static constexpr Duration longest = std::chrono::seconds{1};

  void next() {
    ++rounds_;
    in_time_ = late_ = 0;
    number_ = number_ == UINT16_MAX ? std::uint16_t{1} : static_cast<std::uint16_t>(number_ + 1);
  }

  Duration length_{0};
  Instant deadline_ = never;
  std::uint16_t number_ = 0;
  std::uint64_t rounds_ = 0;
  std::uint64_t in_time_ = 0;
  std::uint64_t late_ = 0;
};

}  // namespace lbsp::transport
