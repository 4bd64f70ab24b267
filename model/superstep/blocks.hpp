#pragma once

#include <algorithm>

namespace lbsp::model::superstep {

/// A message's segments cut into coded blocks of about the same length, the longer ones first.
class Blocks {
 public:
  Blocks(int segments, int longest_block) : segments_(segments), count_((segments - 1) / longest_block + 1) {}

  int count() const { return count_; }
  /// The first segment of a block; of the one after the last: the end of the message.
  int begin(int block) const { return block * (segments_ / count_) + std::min(block, segments_ % count_); }
  int longest() const { return begin(1); }

 private:
  int segments_;
  int count_;
};

}  // namespace lbsp::model::superstep
