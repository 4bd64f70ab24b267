#pragma once

#include "transport/membership/agreement_config.hpp"
#include "transport/membership/member_set.hpp"
#include "transport/membership/notices.hpp"
#include "transport/membership/own_pauses.hpp"
#include "transport/membership/silence.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Whom of its epoch's members a process hears: how long each has been silent, what was told of their ends from
/// outside, and whether it has read all that came.
class Hearing {
 public:
  /// All count as heard now.
  Hearing(const AgreementConfig& config, Instant now);

  /// To be called before anything is made of what has happened. Returns for how long this process did not run, if that
  /// was long; it is not the others' silence.
  Duration look(Instant now);
  void heard(Slot from, Instant now);
  /// The round trip to that one, as measured. One of more than a quarter of the peer timeout tells of queues in which
  /// what is sent waits, so the silence counts that much later.
  void answers_take(Slot from, Duration round_trip);

  /// Those that are not silent, and this process.
  MemberSet not_silent(Instant now) const { return silence_.heard_within(peer_timeout_, now); }
  /// Whether that one is not waited for any more: it has been silent for the limit, or for half of it if others miss
  /// it; or it was told of, and has said nothing since. Nobody is missed before all is read that has come.
  bool misses(Slot slot, bool others_miss_it, Instant now) const;
  /// When misses() may become true of one of these, or look() is to be called.
  Instant next_look(const MemberSet& of) const;
  bool reads_still(Instant now) const { return pauses_.is_just_over(now); }
  /// As Silence's.
  template <class IsQuorum>
  Instant without_quorum_since(IsQuorum is_quorum) const {
    return silence_.without_quorum_since(is_quorum);
  }
  /// For how long the one of these members has not been heard that was heard last; 0 if there is none.
  Duration silence_of(const MemberSet& members, Instant now) const;

  /// What was told.
  Notices& notices() { return notices_; }
  const Notices& notices() const { return notices_; }

 private:
  Duration peer_timeout_;
  Silence silence_;
  Notices notices_;
  OwnPauses pauses_;
};

}  // namespace lbsp::transport
