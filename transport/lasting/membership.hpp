#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transport/core/endpoint.hpp"
#include "transport/lasting/past_agreement.hpp"
#include "transport/lasting/spoken_agreement.hpp"
#include "transport/loss_notice.hpp"
#include "transport/membership/callers.hpp"
#include "transport/membership/held_notices.hpp"
#include "transport/membership/letter.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Who belongs to a job that goes on without ranks that are lost, as one of its processes knows it, epoch by epoch:
/// what the members say of it to each other (views), new processes to them (knocks), and they to those (letters); and
/// what is said of processes from outside (notices).
///
/// It decides nothing by itself: each epoch's agreement does.
class Membership {
 public:
  /// An epoch, as this process begins it.
  struct Beginning {
    Epoch epoch = 0;
    JobKey key = {};  ///< of the epoch
    MemberSet members = {};
    MemberSet new_here = {};         ///< of these, who begins with this epoch
    std::vector<Slot> refused = {};  ///< to whom this process's host refuses to send
    Held held = {};                  ///< by this process
    Duration round_trip{0};          ///< usual between two members
  };

  /// `job` has this process's slot and the key that newcomers know. The process begins with epoch `first`, and with
  /// begin_epoch().
  explicit Membership(const EndpointConfig& job, Epoch first = 0);
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  void begin_epoch(const Beginning& epoch, Instant now);
  /// This epoch has ended by a decision, as the letter says. Who has got a seat is told so.
  void end_epoch(const Letter& letter);
  /// From here on new processes may come that are in nobody's place.
  void grow() { grows_ = true; }
  /// If somebody waits who may come so, the members agree on it.
  void invite_who_knocks(Instant now);

  /// This epoch's.
  SpokenAgreement& agreement() { return *agreement_; }
  const SpokenAgreement& agreement() const { return *agreement_; }
  /// Whether the members of this epoch agree on the next one, or have.
  bool agreeing() const { return agreement_->stage() != Agreement::Stage::run; }
  /// That of the epoch before.
  PastAgreement& past() { return past_; }
  const PastAgreement& past() const { return past_; }
  /// Which process has which slot.
  const Callers& callers() const { return callers_; }
  /// The stations that are another process's since the last call.
  std::vector<Station> take_reused() { return callers_.take_reused(); }

  void take_notice(const LossNotice& notice, Instant now);
  void take_view(std::span<std::byte> datagram, Instant now);
  /// Returns who knocks, if it is authentic and news.
  std::optional<Station> take_knock(std::span<std::byte> datagram, Instant now);
  void handle_timeout(Instant now);

  /// What a process still says.
  enum class Says {
    all,
    letters,     ///< it leaves the job: nothing of this epoch's agreement
    last_epoch,  ///< it is excluded: only what others lack of the epoch before
  };
  /// What is to be said now: of the epoch before, in this epoch's agreement, and to new processes.
  std::optional<Transmit> next_datagram(Says says, std::span<std::byte> buffer, Instant now);

 private:
  /// Who has not knocked for so long has hardly a process any more.
  static constexpr Duration longest_between_knocks = std::chrono::milliseconds{500};

  std::vector<Seat> seats_for(const MemberSet& open) const;
  void follow_notices(Instant now);
  std::optional<Transmit> next_view(std::span<std::byte> buffer, Instant now);
  std::optional<Transmit> next_letter(std::span<std::byte> buffer);

  Slot self_;
  Cipher cipher_;
  Duration peer_timeout_;
  Duration newcomer_wait_;
  Callers callers_;
  HeldNotices held_notices_;
  Notices notices_;  ///< that this epoch's agreement began with
  std::unique_ptr<SpokenAgreement> agreement_;
  PastAgreement past_;
  bool grows_ = false;
  Instant time_{};  ///< of the last call
};

}  // namespace lbsp::transport
