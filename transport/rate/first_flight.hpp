#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "transport/rate/rate_control.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What a rank sends to other hosts before it knows how fast that arrives, at a rate that has to be found: some
/// datagrams at once to two of them, and no more before their echoes. How far apart they arrive tells what the
/// narrowest link carries (packet trains: Dovrolis, Ramanathan and Moore, INFOCOM 2001). While echoes tell nothing of
/// it, twice as much goes after each flight (slow start: RFC 5681).
///
/// What is slow on the way to one host only is no limit of the rank: so its rate is lower only if no path carries more.
/// A token bucket on the way that lets a part of a train pass at once is seen by the rest.
/// A receiver that has read all datagrams at once cannot say how far apart they came if its system has no time stamps;
/// then some more may go, and what arrives of the data tells.
class FirstFlight {
 public:
  static constexpr std::uint64_t least_bytes = 64 << 10;
  static constexpr std::uint64_t datagrams_of_path = 10;
  static constexpr std::uint64_t bytes_where_read_at_once = 256 << 10;
  /// What goes before there is data: so little that a link of 64 kbit/s has carried it in half a second.
  static constexpr std::size_t most_trains = 2;
  static constexpr std::uint64_t train_datagrams = 12;
  /// Of each datagram of `trains`.
  static constexpr std::size_t train_datagram_bytes(std::size_t trains) { return 300 / trains; }

  /// `paths`: to other hosts; `begins`: nothing is known yet.
  FirstFlight(std::size_t paths, std::size_t datagram_bytes, bool begins);

  bool over() const { return over_; }
  /// Whether those who were asked have all answered, whatever that told.
  bool answered() const { return over_ || answered_ >= trains_; }
  /// Whether no more may go before an echo; `sent`: bytes, to all, until now.
  bool full(std::uint64_t sent) const { return !over_ && sent >= echoed_ + most_; }

  /// What the link carries at least, once it is over, if what it carries is not clear: the datagrams came unevenly, but
  /// more slowly than they were sent.
  std::optional<BytesPerSecond> uneven() const { return uneven_; }

  /// Takes what an echo says. When the flight is over: what the link carries, if that is clear and less than what was
  /// sent.
  std::optional<BytesPerSecond> echoed(Rank peer, const TrainMark& mark);

 private:
  /// From one echo to the next, of one train.
  struct Step {
    double bytes;  ///< sent, to all
    Duration sending;
    Duration arriving;
  };
  enum class Verdict { none, unknown, slower, carries_all };
  struct Path {
    std::optional<TrainMark> last = {};
    std::vector<Step> steps = {};
    std::uint64_t before = 0;  ///< arrived before the train
    bool read_at_once = false;
    Verdict verdict = Verdict::none;
  };

  void judge(Path& path, const TrainMark& mark);
  void take_read_at_once(Path& path, const TrainMark& mark);
  void open_window(const TrainMark& mark);
  static Step step(const TrainMark& from, const TrainMark& to);
  static double time_per_byte(const Step& step);
  static std::vector<Step> after_bucket(const std::vector<Step>& steps);
  static BytesPerSecond rate_of(const std::vector<Step>& steps);
  static Duration longer_by(std::span<const Step> steps, std::size_t without);
  static Verdict verdict_on(std::vector<Step>& steps);

  bool over_;
  std::size_t trains_;
  std::uint64_t most_;                     ///< bytes, on their way at once
  std::uint64_t echoed_ = 0;               ///< bytes, to all
  std::uint64_t flight_ = 0;               ///< where this one ends
  int opened_ = 0;                         ///< so many whole ones have been echoed
  std::vector<Path> paths_;                ///< by rank
  std::size_t answered_ = 0;               ///< of them
  std::size_t judged_ = 0;                 ///< of those
  std::optional<BytesPerSecond> carried_;  ///< by the best of those that are slower
  std::optional<BytesPerSecond> uneven_;   ///< by the best of those that are unknown
};

}  // namespace lbsp::transport
