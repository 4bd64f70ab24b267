#pragma once

#include <optional>

#include "transport/membership/agreement_config.hpp"
#include "transport/membership/exclusion.hpp"
#include "transport/membership/hearing.hpp"
#include "transport/membership/statement.hpp"
#include "transport/membership/view.hpp"
#include "transport/membership/voting.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// How the members of one epoch agree on who goes on in the next, without a coordinator: one decision by Paxos
/// (Lamport, The part-time parliament, 1998), begun by whoever misses somebody. It tolerates loss, delay, and further
/// deaths while it runs. Of a network that splits, one side decides at most (quorum.hpp). docs/survival.md explains it.
///
/// A state machine without I/O: it is given what arrives and the time, and asked for what is to be sent and for its
/// next deadline. After every call a driver asks poll() until it gives nobody, and sees to it that handle_timeout() is
/// called when next_timeout() comes. Time must not run backwards.
///
/// A process must never come back into an epoch, which it would have forgotten its promises of: it gets a new
/// incarnation, and a seat of a later one.
class Agreement {
 public:
  enum class Stage {
    run,      ///< nobody is missed
    viewing,  ///< what this process holds must stay as it is
    decided,  ///< view().decided says with whom and from where this process goes on, in the next epoch
    out,      ///< exclusion() says why this process ends
  };

  Agreement(AgreementConfig config, Held held, Instant now);
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  /// Something authentic of this epoch came from a member, other than a view.
  void heard(Slot from, Instant now);
  /// As Hearing's.
  void answers_take(Slot from, Duration round_trip);
  /// This process's own host refuses to send to that member, or does so no more.
  void refused(Slot to, bool is_refused);
  /// Its view came. What makes no sense is dropped.
  void take(Slot from, const View& view, Instant now);
  /// The launcher says that this member's process has ended, or another member that was told so. It is a hint
  /// (Notices): the members agree anew, without the one that was told of if it says nothing.
  void ended(Slot slot, Instant now);
  /// The launcher says that no new process will take that slot.
  void nobody_comes(Slot slot, Instant now);
  /// The launcher says that a new process begins to ask all members for that slot, or that none does any more. Where it
  /// is not heard, it is not waited for.
  void asked_for(Slot slot, bool somebody_asks, Instant now);
  /// Somebody wants a slot of the room: the members agree anew, though nobody is missed. Without effect unless the
  /// stage is `run`.
  void invite(Instant now);
  /// From now on this process holds these boundaries. Without effect unless the stage is `run`: what was held then must
  /// be kept until the decision.
  void hold(const Held& held);

  /// To whom view() is to be sent now; nobody if there is nothing more to be sent.
  std::optional<Slot> poll(Instant now);
  const View& view() const { return own_.view; }
  Instant next_timeout() const;
  void handle_timeout(Instant now);

  Stage stage() const { return stage_; }
  const AgreementConfig& config() const { return config_; }
  /// Whom it hears, and what it was told.
  const Hearing& hearing() const { return hearing_; }
  const std::optional<Exclusion>& exclusion() const { return exclusion_; }
  /// Those for whom this process does not wait, and those that it would leave out for others' sake, while it waits for
  /// new processes in their places.
  MemberSet missed() const { return own_.view.suspects | voting_.left_out(); }

 private:
  void look_at_clock(Instant now);
  void begin_viewing(Instant now);
  void suspect_silent(Instant now);
  void call_for_votes(Instant now);
  void go_on(Instant now);
  void decide(const Decision& value, Instant now);
  void end(Exclusion::Cause cause, Instant now);

  AgreementConfig config_;
  Hearing hearing_;
  Stage stage_ = Stage::run;
  Statement own_;
  Voting voting_;
  std::optional<Exclusion> exclusion_;
  Instant viewing_since_{};
};

}  // namespace lbsp::transport
