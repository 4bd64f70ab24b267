#pragma once

#include <span>
#include <vector>

namespace lbsp::model::critical_path {

/// What a message took on an idle network.
struct MeasuredMessage {
  double bytes = 0;
  double seconds = 0;
};

/// f(v): how long a message of v bytes takes on a network of its own. Measured once, it counts for every message of a
/// run, whatever else the network carried: so other people's traffic is left out.
class MessageCost {
 public:
  /// f(v) = startup + v · per_byte. Throws std::invalid_argument for what is not finite.
  static MessageCost linear(double startup_seconds, double seconds_per_byte);
  /// The straight line through the measured messages by least squares. Throws std::invalid_argument for fewer than two
  /// sizes.
  static MessageCost fitted(std::span<const MeasuredMessage> measured);
  /// Lagrange's one polynomial through all measured messages. Throws std::invalid_argument unless they are 1 to 6, of
  /// different sizes.
  static MessageCost lagrange(std::vector<MeasuredMessage> measured);

  /// Throws std::invalid_argument where a polynomial has no measured message as long as this, and where the time would
  /// be negative: high orders swing between their points.
  double seconds(double bytes) const;

  double startup_seconds() const { return startup_; }
  double seconds_per_byte() const { return per_byte_; }

 private:
  MessageCost() = default;

  double startup_ = 0;
  double per_byte_ = 0;
  std::vector<MeasuredMessage> points_;  ///< of a polynomial, by size; none of a straight line
};

}  // namespace lbsp::model::critical_path
