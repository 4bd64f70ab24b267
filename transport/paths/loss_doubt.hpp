#pragma once

#include <cstdint>

namespace lbsp::transport {

/// Doubts that heavy loss of short messages is the paths' own. A queue that the copies of these messages fill drops
/// them, too, which looks alike, and asks for more copies. So now and then what was lost is forgotten; what is sent
/// then, with the copies of a path that loses little, shows whether less of it is lost. Nothing is forgotten where no
/// queue was seen.
///
/// All ranks forget in the same superstep: what one of them sends less would show nothing where all fill one queue.
class LossDoubt {
 public:
  /// A superstep of short messages begins. What is known of the loss on the paths that it uses, of so many datagrams:
  /// whether to forget it. `queued`: whether a queue was seen; becomes false where that has been judged.
  bool forgets(std::uint64_t superstep, double loss, double datagrams, bool& queued);

  /// Datagrams on each path that are supposed to have arrived when the rest is forgotten, so that few copies are sent.
  std::uint64_t none_lost() const { return none_lost_; }

 private:
  static constexpr std::uint64_t first_period = 8;
  static constexpr std::uint64_t few = 50;

  double before_ = 0;                    ///< what was forgotten last, and not judged yet; 0: none
  std::uint64_t period_ = first_period;  ///< supersteps
  std::uint64_t none_lost_ = few;        ///< more, the more often less was lost then
};

}  // namespace lbsp::transport
