#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "transport/rate/rate_control.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What a rank sends to other hosts before it knows how fast that arrives, at a rate that has to be found: some
/// datagrams at once, and no more before their echoes. How far apart they arrive tells what the narrowest link carries
/// (packet trains: Dovrolis, Ramanathan and Moore, INFOCOM 2001). While echoes tell nothing of it, twice as much goes
/// after each flight (slow start: RFC 5681).
class FirstFlight {
 public:
  static constexpr std::uint64_t least_bytes = 64 << 10;
  static constexpr std::uint64_t datagrams_of_path = 10;
  /// What goes before there is data: so little that a link of 64 kbit/s has carried it in half a second.
  static constexpr int train_datagrams = 12;
  static constexpr std::size_t train_datagram_bytes = 300;

  /// `paths`: to other hosts; `begins`: nothing is known yet.
  FirstFlight(std::size_t paths, std::size_t datagram_bytes, bool begins);

  bool over() const { return over_; }
  /// Whether no more may go before an echo; `sent`: bytes, to all, until now.
  bool full(std::uint64_t sent) const { return !over_ && sent >= echoed_ + most_; }

  /// Takes what an echo says. What the link carries, if that is clear now and less than what was sent: then, or if all
  /// of it is carried, the flight is over.
  std::optional<BytesPerSecond> echoed(Rank peer, const TrainMark& mark);

 private:
  /// From one echo to the next, of one train.
  struct Step {
    double bytes;    ///< sent, to all
    double arrived;  ///< datagrams, of that peer
    Duration sending;
    Duration arriving;
  };
  struct Path {
    std::optional<TrainMark> last = {};
    std::vector<Step> steps = {};
    double arrived = 0;
  };

  void open_window(const TrainMark& mark);
  static Step step(const TrainMark& from, const TrainMark& to);
  static std::optional<BytesPerSecond> carried(std::vector<Step> steps);

  bool over_;
  std::uint64_t most_;        ///< bytes, on their way at once
  std::uint64_t echoed_ = 0;  ///< bytes, to all
  std::uint64_t flight_ = 0;  ///< where this one ends
  std::vector<Path> paths_;   ///< by rank
};

}  // namespace lbsp::transport
