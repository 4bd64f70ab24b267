#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "transport/core/endpoint.hpp"
#include "transport/lasting/membership.hpp"
#include "transport/lasting/own_ways.hpp"
#include "transport/lasting/process_names.hpp"
#include "transport/lasting/succession.hpp"
#include "transport/membership/letter.hpp"
#include "transport/traffic.hpp"
#include "transport/units.hpp"
#include "transport/wire/clear_header.hpp"

namespace lbsp::transport {

/// The world that a process is in: the endpoint of this epoch, addressed by stations and with slots in the headers of
/// its datagrams (ProcessNames), and what the worlds before have left to it.
class OwnWorld {
 public:
  /// `job` and `planner`: as Succession's, and throws as it does. There is no world before enter() or enter_only().
  /// `membership`: knows which process has which slot; null: the job ends with any of its ranks.
  OwnWorld(EndpointConfig job, PlannerFactory planner, Membership* membership);
  OwnWorld(const OwnWorld&) = delete;
  OwnWorld& operator=(const OwnWorld&) = delete;

  // For the process's lasting endpoint.

  /// The only world of a job that ends with any of its ranks.
  void enter_only(Instant now);
  /// The world that the letter is of.
  void enter(const Letter& letter, Instant now);
  /// Of a new process, before it enters its first world.
  void learn(const Letter& letter) { succession_.learn(letter); }
  /// This world ends with that epoch, by this decision. Returns what is written of the next one.
  Letter end(Epoch epoch, const MemberSet& members, const Decision& value);

  /// Its rank is this process's slot.
  const EndpointConfig& job() const { return succession_.job(); }
  const SlotRecords& records() const { return succession_.records(); }
  Endpoint& endpoint() { return *endpoint_; }
  const Endpoint& endpoint() const { return *endpoint_; }

  /// A datagram that has come.
  struct Taken {
    std::optional<Rank> from;             ///< whose it is; none: it is not authentic
    std::optional<HeardFrom> heard_from;  ///< as Endpoint::handle_datagram() returns it, but by station
  };
  Taken take(std::span<std::byte> datagram, const ClearHeader& header, const Arrival& arrival);
  std::optional<Transmit> poll_transmit(std::span<std::byte> buffer, Instant now);
  void note_overflowed(std::uint64_t datagrams);

  // For everybody.

  Rank rank() const { return rank_; }
  Rank size() const { return names_.size(); }
  /// By rank.
  const std::vector<Slot>& slots() const { return names_.slots(); }
  /// By slot, whose messages of the leg have not come; none if there is no leg.
  std::vector<Slot> awaited() const;
  /// Of all worlds of this process.
  TrafficCounters counters() const;
  /// Of the newest world (EarlierWorlds::completed()).
  NetworkMeasure network() const { return succession_.earlier().completed(endpoint_->network()); }
  /// There it is told, and asked, how long datagrams may be, and whether the host sends them.
  OwnWays& ways() { return ways_; }
  const OwnWays& ways() const { return ways_; }

 private:
  void begin(EndpointConfig config, Instant now);

  Succession succession_;
  ProcessNames names_;
  Rank rank_ = 0;
  std::unique_ptr<Endpoint> endpoint_;
  OwnWays ways_;
};

}  // namespace lbsp::transport
