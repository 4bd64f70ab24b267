#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "transport/core/endpoint.hpp"
#include "transport/simulated/simulation_config.hpp"
#include "transport/simulated/ways.hpp"

namespace lbsp::transport {

/// The endpoints of a whole job and the network between them, in virtual time. Nothing waits, and the same
/// configuration and calls give the same events at the same times on every machine. Memory grows with the
/// square of the size, because every endpoint knows every other: a thousand ranks take a few gigabytes.
///
/// Not thread-safe. Ranks act through act(), and step() makes the next event happen. Several networks and flows can
/// share links: SharedTime.
class SimulatedNetwork {
 public:
  /// Time starts at config.beginning. Throws UsageError as Endpoint does.
  explicit SimulatedNetwork(const SimulationConfig& config);

  Rank size() const { return static_cast<Rank>(nodes_.size()); }
  Instant now() const { return now_; }
  const Endpoint& endpoint(Rank rank) const { return node(rank).endpoint; }

  /// Calls action(endpoint, now) for this rank and sends what results from it.
  template <class Action>
  void act(Rank rank, Action&& action) {
    std::forward<Action>(action)(node(rank).endpoint, now_);
    pump(rank);
  }

  /// The time of the next event; `never` if nothing will happen by itself.
  Instant next_event() const;

  /// Makes the next event happen: one datagram arrives, or one endpoint's deadline comes. Events at the same
  /// time happen in the order in which they were planned, arrivals first. Returns the rank concerned; nullopt
  /// if there was no event.
  std::optional<Rank> step();

  /// Steps until done() is true, the next event lies after `bound`, or there is none. Returns done().
  template <class Predicate>
  bool run_until(Predicate done, Instant bound) {
    while (!done()) {
      if (next_event() > bound || !step()) return false;
    }
    return true;
  }

  /// Time goes on to `time`; the next event is no earlier.
  void pass_to(Instant time) { advance_to(time); }

  /// Removes the rank's process at `when`: from then on it takes and sends nothing.
  void remove(Rank rank, Instant when);

  std::uint64_t deliveries() const { return deliveries_; }
  /// How often an endpoint's deadline came: what would be a timer's wake-up in a real driver.
  std::uint64_t wake_ups() const { return wake_ups_; }
  /// The FNV-1a hash of (time, from, to, bytes) of every delivery and (time, rank) of every completed leg so
  /// far.
  std::uint64_t trace_hash() const { return trace_hash_; }
  /// What the network did to all ranks' datagrams.
  ImpairmentCounters impairment() const { return ways_.impairment(); }
  /// The number of datagrams on their way.
  std::size_t in_flight() const { return ways_.in_flight(); }

 private:
  struct Node {
    Node(const EndpointConfig& config, Instant now) : endpoint(config, now) {}

    Endpoint endpoint;
    Instant armed = never;  ///< the earliest deadline planned
    Instant gone = never;
    bool complete = true;
    std::vector<DelayLine::Arrival> waiting;  ///< in the socket, while the rank is frozen
    std::uint64_t overflowed = 0;             ///< that found it full
  };

  struct Deadline {
    Instant time;
    std::uint64_t sequence;
    Rank rank;

    friend bool operator>(const Deadline& left, const Deadline& right) {
      return std::tie(left.time, left.sequence) > std::tie(right.time, right.sequence);
    }
  };

  Node& node(Rank rank) { return *nodes_[static_cast<std::size_t>(rank)]; }
  const Node& node(Rank rank) const { return *nodes_[static_cast<std::size_t>(rank)]; }
  bool present(const Node& node) const { return now_ <= node.gone; }
  Rank deliver();
  void hand_over(const DelayLine::Arrival& arrival);
  Rank reach_deadline();
  bool frozen(Rank rank);
  void pump(Rank rank);
  void ask_system(Rank rank);
  void note(std::uint64_t value);
  void advance_to(Instant time);

  std::vector<std::unique_ptr<Node>> nodes_;
  Ways ways_;
  std::priority_queue<Deadline, std::vector<Deadline>, std::greater<>> deadlines_;
  FaultPlan faults_;
  Instant beginning_;
  Instant now_;
  std::uint64_t sequence_ = 0;
  std::uint64_t deliveries_ = 0;
  std::uint64_t wake_ups_ = 0;
  std::uint64_t idle_steps_ = 0;  ///< deadlines in a row without time passing
  std::uint64_t trace_hash_ = 0xcbf29ce484222325U;
};

}  // namespace lbsp::transport
