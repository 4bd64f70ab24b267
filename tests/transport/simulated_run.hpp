#pragma once

#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <utility>
#include <vector>

#include "economy.hpp"
#include "transport/simulated/network.hpp"

namespace lbsp::transport::testing {

/// A job in the simulated network: which supersteps, of which messages.
struct SimulatedSupersteps {
  SimulationConfig config;
  std::uint32_t supersteps = 1;
  /// Whatever `from` sends `to` in a superstep; any receiver can make it too.
  std::function<Bytes(std::uint32_t superstep, Rank from, Rank to)> message;
};

/// Every rank goes through the supersteps at its own pace, as fast as its messages come, checks every byte,
/// and ends in order.
class SimulatedRun {
 public:
  explicit SimulatedRun(const SimulatedSupersteps& job)
      : job_(job),
        network_(job.config),
        begun_(network_.now()),
        superstep_(ranks()),
        durations_(ranks()),
        leg_begun_(ranks(), begun_),
        finishing_(ranks()) {
    // All at once: a test looks at what memory the job takes.
    for (std::vector<Duration>& each : durations_)
      each.reserve(job.supersteps);
  }

  /// Fails the test if the job has not ended within `limit` of virtual time.
  void complete(Duration limit = std::chrono::hours{1}) {
    for (Rank rank = 0; rank < network_.size(); ++rank)
      begin(rank);
    while (!failed_ && !done()) {
      const auto rank = network_.step();
      ASSERT_TRUE(rank) << name() << "nothing will ever happen";
      ASSERT_LT(elapsed(), limit) << name() << "does not end; superstep " << superstep_[0];
      advance(*rank);
    }
    economy_.ended(network_, elapsed());
  }

  std::uint64_t trace_hash() const { return network_.trace_hash(); }
  const SimulatedNetwork& network() const { return network_; }
  Duration elapsed() const { return network_.now() - begun_; }
  const Economy& economy() const { return economy_; }
  /// What each superstep took this rank.
  const std::vector<Duration>& durations(Rank rank) const {
    return durations_[static_cast<std::size_t>(rank)];
  }
  /// The longest time in which no rank ended a superstep.
  Duration longest_standstill() const { return longest_standstill_; }

 private:
  std::string name() const { return fmt::format("seed {}: ", job_.config.seed); }
  std::size_t ranks() const { return static_cast<std::size_t>(job_.config.size); }
  std::uint32_t& superstep(Rank rank) { return superstep_[static_cast<std::size_t>(rank)]; }

  void begin(Rank rank) {
    std::vector<Bytes> outgoing(ranks());
    for (Rank to = 0; to < network_.size(); ++to) {
      if (to == rank) continue;
      Bytes& message = outgoing[static_cast<std::size_t>(to)];
      message = job_.message(superstep(rank), rank, to);
      economy_.handed_over(message.size(), job_.config.options.datagram_bytes);
    }
    network_.act(rank,
                 [&](Endpoint& endpoint, Instant now) { endpoint.begin_exchange(std::move(outgoing), now); });
  }

  void advance(Rank rank) {
    const Endpoint& endpoint = network_.endpoint(rank);
    if (endpoint.failure()) {
      failed_ = true;
      FAIL() << name() << endpoint.failure()->message;
    }
    if (!endpoint.exchange_complete() || finishing_[static_cast<std::size_t>(rank)]) return;
    check(rank);
    Instant& leg_begun = leg_begun_[static_cast<std::size_t>(rank)];
    durations_[static_cast<std::size_t>(rank)].push_back(network_.now() - leg_begun);
    leg_begun = network_.now();
    longest_standstill_ =
        std::max(longest_standstill_, network_.now() - std::exchange(moved_, network_.now()));
    if (++superstep(rank) < job_.supersteps) {
      begin(rank);
    } else {
      finishing_[static_cast<std::size_t>(rank)] = true;
      if (++finishing_count_ == ranks()) economy_.supersteps_over(elapsed(), job_.supersteps);
      network_.act(rank, [](Endpoint& leaving, Instant now) { leaving.begin_finish(now); });
    }
  }

  void check(Rank rank) {
    std::vector<Bytes> received;
    network_.act(rank, [&](Endpoint& endpoint, Instant) { received = endpoint.take_messages(); });
    for (Rank from = 0; from < network_.size(); ++from) {
      if (from == rank) continue;
      const bool intact =
          received[static_cast<std::size_t>(from)] == job_.message(superstep(rank), from, rank);
      failed_ = failed_ || !intact;
      ASSERT_TRUE(intact) << name() << fmt::format("superstep {} from {} to {}", superstep(rank), from, rank);
    }
  }

  bool done() const {
    for (Rank rank = 0; rank < network_.size(); ++rank) {
      if (!network_.endpoint(rank).finished()) return false;
    }
    return true;
  }

  const SimulatedSupersteps job_;
  SimulatedNetwork network_;
  Instant begun_;
  Economy economy_;
  Instant moved_ = begun_;
  Duration longest_standstill_{0};
  std::vector<std::uint32_t> superstep_;
  std::vector<std::vector<Duration>> durations_;
  std::vector<Instant> leg_begun_;
  std::vector<bool> finishing_;
  std::size_t finishing_count_ = 0;
  bool failed_ = false;
};

}  // namespace lbsp::transport::testing
