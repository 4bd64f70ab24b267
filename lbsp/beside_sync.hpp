#pragma once

#include <cstdint>
#include <optional>

namespace lbsp {

/// What a World does in its supersteps besides what the program asks for: a Keeper's part of them.
class BesideSync {
 public:
  /// The program has called sync(). What is sent here goes with that superstep's messages.
  virtual void before_sync() = 0;
  /// The superstep is complete. Returns what the rank can go on from, from now on, if that has changed
  /// (transport::Exchange::hold()).
  virtual std::optional<std::uint64_t> after_sync() = 0;

 protected:
  ~BesideSync() = default;
};

}  // namespace lbsp
