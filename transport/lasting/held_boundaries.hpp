#pragma once

#include <cstdint>
#include <utility>

#include "transport/membership/view.hpp"

namespace lbsp::transport {

/// The boundaries that a process can go on from, as it tells the members of its epoch when it begins an exchange: the
/// one that it has come to since, and the one that it told of before.
class HeldBoundaries {
 public:
  void hold(std::uint64_t boundary) { newest_ = boundary; }
  std::uint64_t newest() const { return newest_; }
  /// An epoch begins, and all its members go on from the newest.
  void begin_epoch() {
    told_ = newest_;
    with_new_ = false;
  }
  /// An exchange begins. Returns what is held in it.
  Held begin_exchange() {
    const std::uint64_t before = std::exchange(told_, newest_);
    had_new_ = std::exchange(with_new_, before != newest_);
    return {before, newest_};
  }
  /// Whether all members hold the same two: they have completed the exchange before this one, which began with a new
  /// boundary, and this one has begun with none.
  bool all_have_newest() const { return had_new_ && !with_new_; }

 private:
  std::uint64_t newest_ = 0;
  std::uint64_t told_ = 0;  ///< the newest, when an exchange was begun last
  bool with_new_ = false;   ///< the exchange that was begun last …
  bool had_new_ = false;    ///< … and the one before it
};

}  // namespace lbsp::transport
