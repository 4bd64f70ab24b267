#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "transport/core/endpoint.hpp"
#include "transport/lasting/held_boundaries.hpp"
#include "transport/lasting/membership.hpp"
#include "transport/lasting/own_leave.hpp"
#include "transport/lasting/own_world.hpp"
#include "transport/membership/letter.hpp"
#include "transport/missing.hpp"
#include "transport/world_change.hpp"

namespace lbsp::transport {

/// The protocol of one process in a job. If `options.outlives_ranks`, the job goes on without ranks that are lost: an
/// Endpoint for each epoch, and the agreement that ends it (docs/survival.md). Otherwise it is one Endpoint, and no
/// more.
///
/// Ranks are of the epoch. Slots are the ranks of the first. Datagrams are addressed by stations (ProcessNames), which
/// are slots as long as no new process has taken a lost one's. Their headers name slots, by which processes that share
/// a UDP port are told apart for as long as the job lasts.
///
/// If `options.newcomer_wait` is not 0, new processes take the slots of lost ones: those that have knocked by then
/// (Newcomer). After grow() they also take slots that no member has. A new process begins with the letter that it gets.
///
/// While members are missed, nothing is completed. When it has been decided who goes on, change() says so, and the
/// next exchange is the first one of the new epoch. Each process goes back to the change's boundary, which is one of
/// the two that it has held last: hold() says which those are.
///
/// Driven as Endpoint is.
class LastingEndpoint {
 public:
  /// `config` is of the first epoch; its rank is this process's slot. Of later epochs `planner` makes the planner.
  /// Throws as Endpoint does, and UsageError if an agreement cannot have so many ranks.
  LastingEndpoint(EndpointConfig config, PlannerFactory planner, Instant now);
  /// Of a new process, with the job's key as above, and its size as far as this process knows it: it begins in the
  /// letter's epoch, and change() says how that came to be.
  LastingEndpoint(EndpointConfig config, PlannerFactory planner, const Letter& letter, Instant now);

  LastingEndpoint(const LastingEndpoint&) = delete;
  LastingEndpoint& operator=(const LastingEndpoint&) = delete;

  /// The world of this epoch: whose rank in it this process is, what it has measured, and the ways to the others.
  OwnWorld& world() { return world_; }
  const OwnWorld& world() const { return world_; }

  // The rank's side. While change() has a value, only take_change() may be called.

  /// From the next exchange on, this process can go on from this boundary too. It must not forget the one that it
  /// held when an exchange was begun before another one after that is complete.
  void hold(std::uint64_t boundary) { held_.hold(boundary); }
  /// From here on new processes may come that are in nobody's place: the members let them in one exchange after the
  /// first that all begin with a new boundary, so that nothing but those two is done again.
  void grow();
  /// begin(endpoint) is to begin a leg of this epoch's endpoint. It is not called while the members agree: a change
  /// follows, or a failure.
  template <class Begin>
  void begin(Begin begin, Instant now);
  /// Endpoint's, of this epoch's. It says nothing of what this process holds.
  void begin_early(const std::vector<Rank>& sources, Instant now);
  bool exchange_complete() const;
  std::vector<Bytes> take_messages() { return world_.endpoint().take_messages(); }
  /// As Endpoint's. If the job outlives its ranks, nobody leaves before all have completed the last exchange: until
  /// then the world may change.
  void begin_finish(Instant now);
  bool finished() const { return (!membership_ || leave_.is_leaving()) && world_.endpoint().finished(); }
  void abort(std::string_view reason, Instant now);
  /// What is said of a process from outside. Who leaves, or has ended, does not need it.
  void take_notice(const LossNotice& notice, Instant now);
  /// It is said from outside that the processes with these slots have taken their leave.
  void take_departures(const std::vector<Slot>& slots, Instant now);

  /// What the world has become since the last take_change().
  const std::optional<WorldChange>& change() const { return change_; }
  WorldChange take_change();
  const std::optional<Failure>& failure() const {
    return excluded_ ? excluded_ : world_.endpoint().failure();
  }

  /// Nobody, unless the members agree: then those for whom they do not wait any more, and to whom this host refuses to
  /// send.
  Missing missing() const;

  // The network's side, by stations. Otherwise as Endpoint's.

  std::optional<HeardFrom> handle_datagram(std::span<std::byte> datagram, const Arrival& arrival);
  std::optional<Transmit> poll_transmit(std::span<std::byte> buffer, Instant now);
  Instant next_timeout() const;
  /// Where members may be lost, their agreement's timers count too.
  Instant next_transmit() const { return membership_ ? next_timeout() : world_.endpoint().next_transmit(); }
  void handle_timeout(Instant now);

 private:
  void enter(const Letter& letter, Instant now);
  bool agreeing() const { return membership_ && membership_->agreeing(); }
  bool takes_part() const {
    return membership_ && !excluded_ && !leave_.is_leaving() && !world_.endpoint().failure();
  }
  bool sends_in_vain() const { return takes_part() && agreeing(); }
  std::optional<HeardFrom> take_knock(std::span<std::byte> datagram, Instant now);
  void begun(Instant now);
  void follow(Instant now);
  void change_world(Instant now);

  std::unique_ptr<Membership> membership_;  ///< none: the job ends with any of its ranks
  OwnWorld world_;
  HeldBoundaries held_;
  OwnLeave leave_;
  Instant agreeing_since_ = never;
  std::optional<WorldChange> change_;
  std::optional<Failure> excluded_;
};

template <class Begin>
void LastingEndpoint::begin(Begin begin, Instant now) {
  if (agreeing()) return;  // what this process has said that it holds must stay so
  begin(world_.endpoint());
  if (membership_) begun(now);
}

}  // namespace lbsp::transport
