#pragma once

#include <cstdint>

/// The ways to carry out the collectives. There are P ranks, and L = ⌈log2 P⌉. Every variant works on any
/// number of ranks unless its line says otherwise. lbsp/collectives/outline.hpp says what each sends,
/// superstep by superstep.
namespace lbsp {

/// B bytes from the root to all.
enum class Broadcast : std::uint8_t {
  direct,         ///< 1 superstep; the root sends (P-1)B
  binomial_tree,  ///< L supersteps; in each, a rank that has B sends it to one more: the paper's for short
                  ///< messages
  van_de_geijn,   ///< L + P-1 supersteps: scatter over a tree, then ring all-gather; a rank sends about 2B.
                  ///< The paper's for long messages
  two_phase,      ///< 2 supersteps: scatter, then all-gather, both direct; a rank sends about 2B
};

/// B bytes from every rank to every other.
enum class AllGather : std::uint8_t {
  direct,              ///< 1 superstep; a rank sends (P-1)B
  ring,                ///< P-1 supersteps; a rank sends B to the next in each
  recursive_doubling,  ///< L supersteps; a rank sends B, 2B, 4B … . P a power of 2; otherwise `bruck` is done
  bruck,               ///< L supersteps, the last of them shorter; a rank sends (P-1)B in all
};

/// B bytes of every rank, combined on the root.
enum class Reduce : std::uint8_t {
  direct,         ///< 1 superstep; the root receives (P-1)B
  binomial_tree,  ///< L supersteps of B
  two_phase,      ///< 2 supersteps: reduce-scatter, then gather; a rank sends or receives about 2B
};

/// B bytes of every rank, combined on all ranks.
enum class AllReduce : std::uint8_t {
  direct,              ///< 1 superstep; a rank sends (P-1)B
  recursive_doubling,  ///< L supersteps of B; if P is no power of 2 a rank may have to send to several
  two_phase,  ///< 2 supersteps: reduce-scatter, then all-gather, for long vectors; a rank sends about 2B
};

/// B bytes of every rank; each rank gets the combination of those up to its own.
enum class Scan : std::uint8_t {
  direct,              ///< 1 superstep; rank 0 sends (P-1)B
  recursive_doubling,  ///< L supersteps of B
};

}  // namespace lbsp
