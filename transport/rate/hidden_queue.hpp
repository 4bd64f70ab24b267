#pragma once

#include <cstdint>

namespace lbsp::transport {

/// Tells a queue that is full, and that nobody sees because it has not been empty since the peers began, or of late:
/// much is dropped in some rounds in a row. If that goes on although less comes, there is none, and what is lost is the
/// paths' own.
class HiddenQueue {
 public:
  enum class Verdict : std::uint8_t {
    none,    ///< nothing tells of one
    hidden,  ///< there is one
    own      ///< the last rounds have shown that it is the paths' own loss
  };

  /// Takes a round. `drops_unseen`: much more than without a queue was lost in it, but no queue was seen.
  Verdict judge(bool drops_unseen, double loss);
  /// What was lost in the last such rounds, in the mean.
  double loss() const { return loss_; }

 private:
  int rounds_ = 0;  ///< in a row
  double loss_ = 0;
};

}  // namespace lbsp::transport
