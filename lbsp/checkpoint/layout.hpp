#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::checkpoint {

/// Which ranks of a world keep the pieces of which rank's state: one on each other host, so that no host keeps any of
/// what it has itself. Where all ranks are on one host, each of them counts as a host.
///
/// Of H hosts, f of which may be lost at once, a state is cut into H - f pieces, with f - 1 coded ones
/// (transport/messages/block_code.hpp).
/// Its own host and any f - 1 others may be lost: the pieces on those that are left restore it.
class Layout {
 public:
  /// No host has more than one piece, and no more hosts than these have any.
  static constexpr int most_pieces = 128;

  Layout() = default;
  /// `hosts`: by rank, the number of its host; empty: each has one of its own. `survive`: f; of few hosts, as many as
  /// there are but one; 0: nothing is kept.
  Layout(Rank size, std::span<const std::uint16_t> hosts, int survive);

  /// Any so many pieces restore a state. 0: there is no other host, and nothing is kept.
  int needed() const { return needed_; }
  int pieces() const { return pieces_; }
  /// By piece, of the state of rank `of`.
  std::vector<Rank> keepers(Rank of) const;

 private:
  std::vector<std::size_t> host_of_;         ///< by rank
  std::vector<std::vector<Rank>> ranks_of_;  ///< by host
  int pieces_ = 0;
  int needed_ = 0;
};

}  // namespace lbsp::checkpoint
