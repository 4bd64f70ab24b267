#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/core/endpoint.hpp"
#include "transport/host_refusal.hpp"
#include "transport/lasting/earlier_worlds.hpp"
#include "transport/lasting/host_routes.hpp"
#include "transport/lasting/own_sleep.hpp"
#include "transport/lasting/past_agreement.hpp"
#include "transport/lasting/process_names.hpp"
#include "transport/lasting/slot_records.hpp"
#include "transport/lasting/spoken_agreement.hpp"
#include "transport/membership/callers.hpp"
#include "transport/membership/held_notices.hpp"
#include "transport/membership/letter.hpp"
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

  Rank rank() const { return rank_; }
  Rank size() const { return names_.size(); }

  // The rank's side. While change() has a value, only take_change() may be called.

  /// From the next exchange on, this process can go on from this boundary too. It must not forget the one that it
  /// held when an exchange was begun before another one after that is complete.
  void hold(std::uint64_t boundary) { boundary_ = boundary; }
  /// From here on new processes may come that are in nobody's place: the members let them in one exchange after the
  /// first that all begin with a new boundary, so that nothing but those two is done again.
  void grow() { grows_ = true; }
  /// begin(endpoint) is to begin a leg of this epoch's endpoint. It is not called while the members agree: a change
  /// follows, or a failure.
  template <class Begin>
  void begin(Begin begin, Instant now);
  /// Endpoint's, of this epoch's. It says nothing of what this process holds.
  void begin_early(const std::vector<Rank>& sources, Instant now);
  bool exchange_complete() const;
  std::vector<Bytes> take_messages() { return endpoint_->take_messages(); }
  /// As Endpoint's. If the job outlives its ranks, nobody leaves before all have completed the last exchange: until
  /// then the world may change.
  void begin_finish(Instant now);
  bool finished() const { return (!agreement_ || leaving_) && endpoint_->finished(); }
  void abort(std::string_view reason, Instant now);
  /// What is said of a process from outside. Who leaves, or has ended, does not need it.
  void take_notice(const LossNotice& notice, Instant now);
  /// It is said from outside that the processes with these slots have taken their leave.
  void take_departures(const std::vector<Slot>& slots, Instant now);

  /// What the world has become since the last take_change().
  const std::optional<WorldChange>& change() const { return change_; }
  WorldChange take_change();
  const std::optional<Failure>& failure() const { return excluded_ ? excluded_ : endpoint_->failure(); }

  /// How often the members have been agreed on anew.
  Epoch epoch() const { return agreement_ ? agreement_->config().epoch : 0; }
  /// While the members agree: those for whom they do not wait any more, and to whom this host refuses to send. Slots.
  MemberSet missed() const { return agreeing() ? agreement_->missed() : MemberSet{}; }
  HostRefusal refusal() const { return agreeing() ? routes_.refusal(names_) : HostRefusal{}; }

  // The network's side, by stations. Otherwise as Endpoint's.

  std::optional<Station> handle_datagram(std::span<std::byte> datagram, const Arrival& arrival);
  std::optional<Transmit> poll_transmit(std::span<std::byte> buffer, Instant now);
  Instant next_timeout() const;
  /// Where members may be lost, their agreement's timers count too.
  Instant next_transmit() const { return agreement_ ? next_timeout() : endpoint_->next_transmit(); }
  void handle_timeout(Instant now);
  void limit_route(Station to, std::size_t bytes);
  void limit_datagrams(Station to, std::size_t bytes, Instant now);
  std::size_t datagram_bytes(Station to) const;
  void note_host_refusal(Station to, int error, Instant now);
  std::vector<Station> take_doubtful();
  void note_overflowed(std::uint64_t datagrams);

  bool awaits_first_answers() const { return endpoint_->awaits_first_answers(); }
  TrafficCounters counters() const;
  /// Of the newest world (EarlierWorlds::completed()).
  NetworkMeasure network() const { return earlier_.completed(endpoint_->network()); }
  /// By slot, whose messages of the leg have not come; none if there is no leg.
  std::vector<Slot> awaited() const;
  const Forecast& forecast() const { return endpoint_->forecast(); }

 private:
  /// Who has not knocked for so long has hardly a process any more.
  static constexpr Duration longest_between_knocks = std::chrono::milliseconds{500};

  static EndpointConfig checked_for_all_epochs(EndpointConfig config);
  void enter(Epoch epoch, const MemberSet& members, const MemberSet& new_here, Instant now);
  bool sends_in_vain() const;
  void tell_of_refusal(Station to, int error, Instant now);
  std::string why_excluded() const;
  bool agreeing() const { return agreement_ && agreement_->stage() != Agreement::Stage::run; }
  void begin_to_last();
  void forget_former_callers();
  std::optional<Station> take_knock(std::span<std::byte> datagram, Instant now);
  std::optional<Transmit> next_letter(std::span<std::byte> buffer);
  void take_seats(const Decision& value, Epoch next);
  void take_view(std::span<std::byte> datagram, Instant now);
  std::optional<Transmit> next_view(std::span<std::byte> buffer, Instant now);
  void follow_notices(Instant now);
  void follow(Instant now);
  void invite_who_knocks(Instant now);
  void leave_when_all_are_done(Instant now);
  void change_world(Instant now);
  void remember_paths();

  EndpointConfig config_;  ///< of the first epoch, and of this one the key
  SlotRecords records_;    ///< none: the job ends with any of its ranks
  PlannerFactory planner_;
  std::unique_ptr<Endpoint> endpoint_;
  std::unique_ptr<SpokenAgreement> agreement_;  ///< none: the job ends with any of its ranks
  std::optional<Callers> callers_;              ///< likewise
  PastAgreement past_;
  Notices notices_;  ///< that the agreement of this epoch began with
  HeldNotices held_notices_;
  Rank rank_ = 0;
  ProcessNames names_{callers_};
  HostRoutes routes_;
  EarlierWorlds earlier_;
  std::uint64_t boundary_ = 0;      ///< the newest that this process can go on from
  std::uint64_t told_ = 0;          ///< the same, when an exchange was begun last
  bool grows_ = false;              ///< grow() has been called
  bool with_new_boundary_ = false;  ///< the exchange that was begun last
  bool closing_ = false;            ///< the last exchange is complete, and this process waits for all others'
  bool leaving_ = false;            ///< all others' is, too
  Instant agreeing_since_ = never;
  Instant time_{};  ///< of the last call from the network's side
  OwnSleep sleep_;
  std::optional<WorldChange> change_;
  std::optional<Failure> excluded_;
};

template <class Begin>
void LastingEndpoint::begin(Begin begin, Instant now) {
  if (agreeing()) return;  // what this process has said that it holds must stay so
  begin(*endpoint_);
  if (!agreement_) return;
  agreement_->hold({told_, boundary_});
  const bool all_have_it = with_new_boundary_ && boundary_ == told_;
  with_new_boundary_ = boundary_ != told_;
  told_ = boundary_;
  if (all_have_it) invite_who_knocks(now);
  follow(now);
}

}  // namespace lbsp::transport
