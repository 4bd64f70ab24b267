#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "transport/core/endpoint.hpp"
#include "transport/membership/agreement.hpp"
#include "transport/membership/view_channel.hpp"
#include "transport/world_change.hpp"

namespace lbsp::transport {

/// The protocol of one process in a job. If `options.outlives_ranks`, the job goes on without ranks that are lost: an
/// Endpoint for each epoch, and the agreement that ends it (docs/survival.md). Otherwise it is one Endpoint, and no
/// more.
///
/// Ranks are of the epoch. Slots, by which datagrams are addressed, are the ranks of the first.
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

  Rank rank() const { return rank_; }
  Rank size() const { return static_cast<Rank>(slots_.size()); }

  // The rank's side. While change() has a value, only take_change() may be called.

  /// From the next exchange on, this process can go on from this boundary too. It must not forget the one that it
  /// held when an exchange was begun before another one after that is complete.
  void hold(std::uint64_t boundary) { boundary_ = boundary; }
  /// begin(endpoint) is to begin a leg of this epoch's endpoint. It is not called while the members agree: a change
  /// follows, or a failure.
  template <class Begin>
  void begin(Begin begin, Instant now);
  bool exchange_complete() const;
  std::vector<Bytes> take_messages() { return endpoint_->take_messages(); }
  /// As Endpoint's. If the job outlives its ranks, nobody leaves before all have completed the last exchange: until
  /// then the world may change.
  void begin_finish(Instant now);
  bool finished() const { return (!agreement_ || leaving_) && endpoint_->finished(); }
  void abort(std::string_view reason, Instant now);

  /// What the world has become since the last take_change().
  const std::optional<WorldChange>& change() const { return change_; }
  WorldChange take_change();
  const std::optional<Failure>& failure() const { return excluded_ ? excluded_ : endpoint_->failure(); }

  // The network's side, by slots. Otherwise as Endpoint's.

  std::optional<Slot> handle_datagram(std::span<std::byte> datagram, Instant now);
  std::optional<Transmit> poll_transmit(std::span<std::byte> buffer, Instant now);
  Instant next_timeout() const;
  void handle_timeout(Instant now);
  void limit_route(Slot to, std::size_t bytes);
  void limit_datagrams(Slot to, std::size_t bytes, Instant now);
  std::size_t datagram_bytes(Slot to) const;
  std::vector<Slot> take_doubtful();
  void note_overflowed(std::uint64_t datagrams);

  TrafficCounters counters() const;
  NetworkMeasure network() const { return endpoint_->network(); }
  const Forecast& forecast() const { return endpoint_->forecast(); }

 private:
  /// One epoch's agreement, and how its views are sent.
  struct Past {
    std::unique_ptr<Agreement> agreement;
    std::unique_ptr<ViewChannel> channel;
  };

  void enter(Epoch epoch, const MemberSet& members, Instant now);
  bool sends_in_vain() const;
  bool agreeing() const { return agreement_ && agreement_->stage() != Agreement::Stage::run; }
  void take_view(std::span<std::byte> datagram, Instant now);
  std::optional<Transmit> next_view(std::span<std::byte> buffer, Instant now);
  void follow(Instant now);
  void leave_when_all_are_done(Instant now);
  void change_world(Instant now);
  void remember_paths();
  std::optional<Rank> rank_of(Slot slot) const;

  EndpointConfig config_;  ///< of the first epoch, and of this one the key
  PlannerFactory planner_;
  std::unique_ptr<Endpoint> endpoint_;
  std::unique_ptr<Agreement> agreement_;  ///< none: the job ends with any of its ranks
  std::unique_ptr<ViewChannel> channel_;
  Past past_;  ///< of the epoch before, for those who do not know its end
  Rank rank_ = 0;
  std::vector<Slot> slots_;          ///< by rank
  std::vector<std::size_t> routes_;  ///< by slot: what the system's route takes
  TrafficCounters past_traffic_;
  std::uint64_t boundary_ = 0;  ///< the newest that this process can go on from
  std::uint64_t told_ = 0;      ///< the same, when an exchange was begun last
  bool closing_ = false;        ///< the last exchange is complete, and this process waits for all others'
  bool leaving_ = false;        ///< all others' is, too
  Instant agreeing_since_ = never;
  std::optional<WorldChange> change_;
  std::optional<Failure> excluded_;
};

template <class Begin>
void LastingEndpoint::begin(Begin begin, Instant now) {
  if (agreeing()) return;  // what this process has said that it holds must stay so
  begin(*endpoint_);
  if (!agreement_) return;
  agreement_->hold({told_, boundary_});
  told_ = boundary_;
  follow(now);
}

}  // namespace lbsp::transport
