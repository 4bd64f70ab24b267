#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "transport/peers/peer.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The other ranks of the job.
class Peers {
 public:
  Peers(const EndpointConfig& config, Instant now)
      : self_(config.rank), peers_(static_cast<std::size_t>(config.size)) {
    for (Rank i = 1; i < size(); ++i) {
      const Rank rank = (self_ + i) % size();
      others_.push_back(rank);
      peers_[static_cast<std::size_t>(rank)] = std::make_unique<Peer>(config, rank, now);
      far_ += (*this)[rank].near ? 0 : 1;
    }
  }

  Peer& operator[](Rank rank) { return *peers_[static_cast<std::size_t>(rank)]; }
  const Peer& operator[](Rank rank) const { return *peers_[static_cast<std::size_t>(rank)]; }

  Rank self() const { return self_; }
  /// Of the job, this rank included.
  Rank size() const { return static_cast<Rank>(peers_.size()); }

  /// Of other hosts.
  Rank far() const { return far_; }

  /// The successor first, so that the ranks of a job do not all begin with the same one.
  const std::vector<Rank>& others() const { return others_; }

 private:
  Rank self_;
  Rank far_ = 0;
  std::vector<Rank> others_;
  std::vector<std::unique_ptr<Peer>> peers_;  ///< by rank; none for the own
};

}  // namespace lbsp::transport
