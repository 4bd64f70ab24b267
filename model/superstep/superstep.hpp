#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <optional>
#include <vector>

#include "model/mathematics/require.hpp"

namespace lbsp::model::superstep {

/// The network between any two ranks, in both directions.
struct Path {
  double round_trip = 0;                    ///< RTT, seconds
  double round_trip_variation = 0;          ///< its mean deviation, seconds
  double loss = 0;                          ///< p: of a datagram, in [0, 1)
  std::optional<double> loss_after_loss{};  ///< of the next datagram after a lost one; none: p, independent

  double lost_again() const { return loss_after_loss.value_or(loss); }
  friend auto operator<=>(const Path&, const Path&) = default;  // NOLINT(modernize-use-nullptr)
};

/// Messages of one length that a rank sends.
struct Messages {
  double per_rank = 1;         ///< the number of messages, each to another rank
  int segments = 1;            ///< m: datagrams that one takes
  double segment_seconds = 0;  ///< α: the mean size of the message's datagrams over the rank's rate

  /// That a rank takes to send them once.
  double seconds() const { return per_rank * segments * segment_seconds; }

  friend auto operator<=>(const Messages&, const Messages&) = default;  // NOLINT(modernize-use-nullptr)
};

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

/// The datagrams in which a rank sends messages.
struct Datagrams {
  double bytes = 1400;          ///< UDP payload of a full one
  double overhead_bytes = 0;    ///< those of them that are not the message's
  double bytes_per_second = 0;  ///< UDP payload that a rank sends
};

/// Messages of `bytes` bytes each. An empty message takes a datagram too. Throws std::invalid_argument for
/// datagrams that are not larger than their overhead, for a rate that is not positive, and for negative
/// numbers.
inline Messages messages_of(double per_rank, double bytes, const Datagrams& datagrams) {
  constexpr double most_segments = 1e9;
  const double room = datagrams.bytes - datagrams.overhead_bytes;
  mathematics::require_not_negative(per_rank, "a number of messages");
  mathematics::require_not_negative(bytes, "a message size");
  mathematics::require_positive(room, "a packet's room for payload");
  mathematics::require_positive(datagrams.bytes_per_second, "a bandwidth");
  const double segments = std::clamp(std::ceil(bytes / room), 1., most_segments);
  return {per_rank, static_cast<int>(segments),
          (bytes / segments + datagrams.overhead_bytes) / datagrams.bytes_per_second};
}

/// What every rank sends in a superstep. All ranks begin together, and all send alike.
struct Superstep {
  double ranks = 1;
  Path path;
  std::vector<Messages> messages;
  /// Seconds from its end to the begin of the next one, which is like it, and so on; none: nobody knows.
  std::optional<double> pause{};

  /// That a rank takes to send all of them once.
  double seconds() const {
    double sum = 0;
    for (const Messages& each : messages)
      sum += each.seconds();
    return sum;
  }

  friend auto operator<=>(const Superstep&, const Superstep&) = default;  // NOLINT(modernize-use-nullptr)
};

/// How messages are protected against loss in advance.
struct Protection {
  int copies = 1;           ///< k, of every protected segment; 1 if coded segments are sent
  int repair_segments = 0;  ///< r, coded segments of every protected block
  int first_protected = 0;  ///< segments before this one are sent once
  bool coded = false;       ///< coded segments repair losses; only for messages of several segments
  int without_spares = 0;   ///< r where no spare segments can follow; 0: the same r

  friend bool operator==(const Protection&, const Protection&) = default;
};

/// Messages with their protection.
struct ProtectedMessages : Messages, Protection {
  /// A message of one segment has nothing to code.
  bool is_coded() const { return coded && segments > 1; }
};

}  // namespace lbsp::model::superstep
