#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "transport/core/peer.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The other ranks of the job.
class Peers {
 public:
  Peers(const EndpointConfig& config, Instant now)
      : self_(config.rank), peers_(static_cast<std::size_t>(config.size)) {
    for_each([&](Rank rank) {
      peers_[static_cast<std::size_t>(rank)] = std::make_unique<Peer>(config, rank, now);
    });
  }

  Peer& operator[](Rank rank) { return *peers_[static_cast<std::size_t>(rank)]; }
  const Peer& operator[](Rank rank) const { return *peers_[static_cast<std::size_t>(rank)]; }

  Rank self() const { return self_; }
  /// Of the job, this rank included.
  Rank size() const { return static_cast<Rank>(peers_.size()); }

  /// Calls action(rank) for every other rank, the successor first, so that the ranks of a job do not all begin
  /// with the same one.
  template <class Action>
  void for_each(Action action) const {
    for (Rank i = 1; i < size(); ++i)
      action((self_ + i) % size());
  }

 private:
  Rank self_;
  std::vector<std::unique_ptr<Peer>> peers_;  ///< by rank; none for the own
};

}  // namespace lbsp::transport
