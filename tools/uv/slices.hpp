#pragma once

#include <chrono>
#include <functional>
#include <utility>

#include "tools/uv/events.hpp"

namespace lbsp::uv {

/// Work that may take long, in slices: between two of them the loop hears signals, and whoever has something to say.
class Slices {
 public:
  /// `step` does a little, and returns whether there is more to do at present.
  Slices(Loop& loop, std::function<bool()> step) : timer_(loop), step_(std::move(step)) {}

  /// There is something to do: from the loop, step() is called again and again until it returns false.
  void begin();

 private:
  static constexpr std::chrono::milliseconds longest{20};

  void slice();

  Timer timer_;
  std::function<bool()> step_;
};

}  // namespace lbsp::uv
