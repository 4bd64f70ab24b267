#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "transport/impairment/random.hpp"
#include "transport/impairment/wan_spec.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What an impaired network did to the datagrams of one rank.
struct ImpairmentCounters {
  std::uint64_t offered = 0;      ///< datagrams given to it
  std::uint64_t queue_drops = 0;  ///< that found the uplink's queue full
  std::uint64_t lost = 0;         ///< taken by `loss`
  std::uint64_t reordered = 0;    ///< held back by `reorder`
  std::uint64_t duplicated = 0;   ///< delivered twice
  std::uint64_t corrupted = 0;    ///< deliveries with bits flipped

  ImpairmentCounters& operator+=(const ImpairmentCounters& other);
  friend bool operator==(const ImpairmentCounters&, const ImpairmentCounters&) = default;
};

/// One arrival of a datagram.
struct Passage {
  Instant time;
  std::uint64_t corruption = 0;  ///< not 0: what flip_bits() is to do to this arrival
};

/// The arrivals of one datagram: none, one or two.
class Passages {
 public:
  void add(const Passage& passage) { list_[count_++] = passage; }
  std::size_t size() const { return count_; }
  const Passage& operator[](std::size_t index) const { return list_[index]; }
  const Passage* begin() const { return list_.data(); }
  const Passage* end() const { return list_.data() + count_; }

 private:
  std::array<Passage, 2> list_{};
  std::size_t count_ = 0;
};

/// Serialises what a rank sends at `rate`, first in first out, with a drop-tail queue: a datagram that finds
/// more than `queue_bytes` waiting (what is on the wire counts as far as it has not left) is dropped. Counts
/// bytes of UDP payload. Without a rate nothing waits.
class Uplink {
 public:
  explicit Uplink(const WanSpec& spec)
      : rate_(spec.rate), queue_bytes_(static_cast<double>(spec.queue_bytes)) {}

  /// When the datagram's last byte has left; nullopt: dropped.
  std::optional<Instant> send(Instant now, std::size_t bytes);

 private:
  std::optional<BytesPerSecond> rate_;
  double queue_bytes_;
  Instant free_at_ = Instant::min();
  double remainder_ = 0;  // of a nanosecond, so that rounding does not change the rate
};

/// What happens between one rank and one other, in this order:
/// - loss: a Gilbert model, two states, all is lost in the bad one. The mean fraction lost is `loss`, the
/// mean
///   run of losses `burst`. Independent losses already come in runs of 1/(1-loss) in the mean; a `burst` not
///   above that (1, the default) means independent losses. Runs are counted in datagrams, not in time.
/// - delay: half the round-trip time, plus a part uniform in ±`jitter` (as tc-netem without a distribution
///   table), never below 0. Unlike netem's, jitter alone never reorders: a datagram that would overtake an
///   earlier one arrives together with it, as behind a real queue; dense traffic therefore sees delays nearer
///   to the upper end.
/// - reorder: that fraction is held back by a further delay, uniform in (0, D], D half the round-trip time
/// and at least
///   1 ms, and does not hold back what follows.
/// - duplicate: that fraction of what is not lost arrives once more, with a delay of its own.
/// - corrupt: that fraction of the arrivals has one bit flipped in each of one to four bytes.
class Path {
 public:
  explicit Path(std::uint64_t seed) : random_(seed) {}

  Passages send(const WanSpec& spec, Instant departure, ImpairmentCounters& counters);

 private:
  bool lost(const WanSpec& spec);
  Passage pass(const WanSpec& spec, Instant departure, ImpairmentCounters& counters);

  Random random_;
  Instant last_arrival_ = Instant::min();
  bool bad_ = false;
  bool started_ = false;
};

/// The seed of the path from rank to rank: distinct and well mixed for neighbouring numbers.
std::uint64_t path_seed(std::uint64_t seed, Rank from, Rank to);

/// All that one rank sends: its uplink, then a path per destination. Pure: no clock, no I/O; what it decides
/// depends on the specification, (seed, from, to) and the calls alone, on every platform.
class ImpairedLink {
 public:
  ImpairedLink(const WanSpec& spec, std::uint64_t seed, Rank from, Rank size);

  /// When and how the datagram arrives at `to`. `now` must not go backwards.
  Passages send(Instant now, Rank to, std::size_t bytes);

  const ImpairmentCounters& counters() const { return counters_; }

 private:
  WanSpec spec_;
  Uplink uplink_;
  std::vector<Path> paths_;
  ImpairmentCounters counters_;
};

/// Flips one bit in each of one to four neighbouring bytes, so that the datagram certainly changes unless
/// empty.
void flip_bits(std::span<std::byte> datagram, std::uint64_t corruption);

}  // namespace lbsp::transport
