#pragma once

#include <optional>
#include <vector>

#include "transport/membership/member_set.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// When, and to whom, a process says its view: what is new twice and soon, then again and again. After the end of the
/// agreement only to those who do not know it.
class Announcement {
 public:
  Announcement(const MemberSet& listeners, Duration round_trip);

  /// All are told now.
  void news(Instant now);
  /// What has just become news is the last.
  void last_news() { last_ = true; }
  void silence();
  /// One listener alone is told, unless it has just been.
  void answer(Slot to, Instant now);

  /// Begins a round in which all are told, if its time has come. Returns whether it has.
  bool begin_round(Instant now);
  /// Who is to be told now.
  std::optional<Slot> next();
  /// When there will be somebody.
  Instant due() const { return to_tell_.empty() ? next_round_ : Instant{}; }

 private:
  MemberSet listeners_;
  Duration interval_;
  Instant next_round_ = never;
  int copies_ = 0;  ///< rounds that follow quickly
  bool last_ = false;
  MemberSet to_tell_;
  std::vector<std::optional<Instant>> answered_;  ///< by slot
};

}  // namespace lbsp::transport
