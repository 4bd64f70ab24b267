#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transport/core/endpoint.hpp"
#include "transport/membership/agreement.hpp"
#include "transport/membership/view_channel.hpp"

namespace lbsp::transport {

/// What has become of a world.
struct WorldChange {
  Epoch epoch = 0;
  MemberSet members;  ///< slots that go on; the rank of each is the number of those below it
  MemberSet lost;
  std::uint64_t boundary = 0;  ///< supersteps of the job that count: all go on from there
};

/// The protocol of one process of a job that outlives some of its processes: an Endpoint for each epoch, and the
/// agreement that ends it. Ranks are of the epoch; slots, by which datagrams are addressed, are the ranks of the first.
///
/// When members are missed, the superstep under way is not completed. When it has been decided who goes on, change()
/// says so, and the next superstep follows on the boundary. Each program can go back to it that keeps what it had after
/// the two supersteps that it has completed last: the boundary is one of them.
///
/// Driven as Endpoint is.
class LastingEndpoint {
 public:
  /// `config` is of the first epoch; its rank is this process's slot. Of later ones `planner` makes the planner.
  LastingEndpoint(EndpointConfig config, PlannerFactory planner, Instant now);

  Rank rank() const { return members().below(slot()); }
  Rank size() const { return members().count(); }
  Slot slot() const { return config_.rank; }
  const MemberSet& members() const { return agreement_->config().members; }

  // The rank's side. While change() has a value, only take_change() may be called.

  void begin_exchange(std::vector<Bytes> outgoing, Instant now);
  bool exchange_complete() const;
  std::vector<Bytes> take_messages() { return endpoint_->take_messages(); }
  void begin_finish(Instant now);
  bool finished() const { return endpoint_->finished(); }

  /// What the world has become since the last take_change().
  const std::optional<WorldChange>& change() const { return change_; }
  WorldChange take_change();

  const std::optional<Failure>& failure() const;

  // The network's side.

  /// The slot that an authentic datagram is from, as Endpoint says it.
  std::optional<Slot> handle_datagram(std::span<std::byte> datagram, Instant now);
  /// `to` is a slot. The buffer has longest_view_datagram_bytes at least.
  std::optional<Transmit> poll_transmit(std::span<std::byte> buffer, Instant now);
  Instant next_timeout() const;
  void handle_timeout(Instant now);

 private:
  /// One epoch's agreement, and how its views are sent.
  struct Past {
    std::unique_ptr<Agreement> agreement;
    std::unique_ptr<ViewChannel> channel;
  };

  void enter(Epoch epoch, const MemberSet& members, Instant now);
  void follow(Instant now);
  Slot slot_of(Rank rank) const;
  bool takes_view(Agreement& agreement, ViewChannel& channel, std::span<std::byte> datagram, Instant now);
  static std::optional<Transmit> next_view(Agreement& agreement, ViewChannel& channel,
                                           std::span<std::byte> buffer, Instant now);

  EndpointConfig config_;  ///< of the first epoch, and the key of this one
  PlannerFactory planner_;
  std::unique_ptr<Endpoint> endpoint_;
  std::unique_ptr<Agreement> agreement_;
  std::unique_ptr<ViewChannel> channel_;
  Past past_;
  std::vector<Slot> slots_;      ///< by rank
  std::uint64_t completed_ = 0;  ///< supersteps of the job, when the last one was begun
  bool begun_ = false;           ///< a superstep of this epoch
  bool waiting_ = false;         ///< a superstep was to begin while the members agree
  std::optional<WorldChange> change_;
  std::optional<Failure> excluded_;
};

}  // namespace lbsp::transport
