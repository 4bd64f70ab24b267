#pragma once

#include <cstdint>
#include <string_view>

#include "lbsp/bsplib/bsmp.hpp"
#include "lbsp/bsplib/call_errors.hpp"
#include "lbsp/bsplib/drma.hpp"
#include "lbsp/world.hpp"
#include "transport/error.hpp"

namespace lbsp::bsplib {

/// One rank between bsp_begin and bsp_end: what the calls of bsp.h mean over a World (contracts there).
/// All throw UsageError with the call, the rank, the superstep and the numbers.
class Spmd {
 public:
  /// The World must outlive it.
  explicit Spmd(World& world);
  Spmd(const Spmd&) = delete;
  Spmd& operator=(const Spmd&) = delete;

  World& world() { return world_; }
  Rank rank() const { return rank_; }
  Number size() const { return size_; }
  std::uint64_t superstep() const { return world_.superstep(); }

  Drma& drma() { return drma_; }
  Bsmp& bsmp() { return bsmp_; }

  void sync(std::string_view call = "bsp_sync") {
    try {
      world_.sync();
    } catch (const UsageError& error) {
      refuse_sync(call, error);
    }
    bsmp_.next_superstep();
    drma_.next_superstep();
  }
  void end();

  /// "call on rank 1 in superstep 3: what".
  [[noreturn]] void refuse(std::string_view call, std::string_view what) const { errors_.refuse(call, what); }

 private:
  [[noreturn]] void refuse_sync(std::string_view call, const UsageError& error) const;

  World& world_;
  Rank rank_;
  Number size_;
  CallErrors errors_;
  Drma drma_;
  Bsmp bsmp_;
};

}  // namespace lbsp::bsplib
