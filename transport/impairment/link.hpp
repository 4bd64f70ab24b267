#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "transport/ecn.hpp"
#include "transport/impairment/random.hpp"
#include "transport/impairment/wan_spec.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What an impaired network did to one rank's datagrams.
struct ImpairmentCounters {
  std::uint64_t offered = 0;      ///< datagrams that the rank sent
  std::uint64_t queue_drops = 0;  ///< dropped because the uplink's queue was full
  std::uint64_t too_long = 0;     ///< longer than `mtu`
  std::uint64_t lost = 0;         ///< taken by `loss`
  std::uint64_t reordered = 0;    ///< held back by `reorder`
  std::uint64_t duplicated = 0;   ///< delivered twice
  std::uint64_t corrupted = 0;    ///< deliveries with bits flipped
  std::uint64_t marked = 0;       ///< by `ecn`

  ImpairmentCounters& operator+=(const ImpairmentCounters& other);
  friend bool operator==(const ImpairmentCounters&, const ImpairmentCounters&) = default;
};

/// One arrival of a datagram.
struct Passage {
  Instant time;
  std::uint64_t corruption = 0;  ///< argument for flip_bits(); 0: this arrival is intact
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

/// Sends a rank's datagrams one after another at `rate`, through a drop-tail queue. A datagram that finds
/// more than `queue_bytes` waiting is dropped; of the one on the wire, the part that has not left counts.
/// Bytes are bytes of UDP payload. Without a rate nothing waits. One that lets itself be marked is marked if it finds
/// more than `ecn` bytes waiting (RFC 8257, section 3.1).
class Uplink {
 public:
  explicit Uplink(const WanSpec& spec) : Uplink(spec.rate, spec) {}
  /// Of this rate, but otherwise as `spec` says.
  Uplink(std::optional<BytesPerSecond> rate, const WanSpec& spec)
      : rate_(rate), queue_bytes_(static_cast<double>(spec.queue_bytes)), mark_bytes_(spec.ecn_bytes) {}

  /// When the datagram's last byte has left; nullopt: dropped.
  std::optional<Instant> send(Instant now, std::size_t bytes);
  /// The same for one that says this; it may be marked.
  std::optional<Instant> send(Instant now, std::size_t bytes, Ecn& ecn);
  /// From now on it is as `other`; what waits leaves at the new rate.
  void become(const Uplink& other, Instant now);

 private:
  double waiting_bytes(Instant now) const;
  void occupy(Instant now, double bytes);

  std::optional<BytesPerSecond> rate_;
  double queue_bytes_;
  std::optional<std::uint64_t> mark_bytes_;
  Instant free_at_ = Instant::min();
  double remainder_ = 0;  // of a nanosecond, so that rounding does not change the rate
};

/// What happens to datagrams from one rank to another, of those that are not longer than `mtu`, in this order:
/// - loss: a Gilbert model with two states, of which the bad one loses everything. The mean fraction lost is
///   `loss`, the mean length of a run of losses `burst`. Independent losses already come in runs of
///   1/(1-loss) on average; a `burst` not above that (1, the default) means independent losses. Runs are
///   counted in datagrams, not in time.
/// - delay: half the round-trip time, plus a part uniform in ±`jitter` (as tc-netem without a distribution
///   table), never below 0. Unlike netem's, jitter alone never reorders. A datagram that would overtake an
///   earlier one arrives together with it, as behind a real queue. So dense traffic sees delays nearer to the
///   upper end.
/// - reorder: this fraction is held back by a further delay, uniform in (0, D], and does not hold back what
///   follows. D is half the round-trip time, at least 1 ms.
/// - overtake: this fraction of the others takes no delay (as netem's `reorder`).
/// - duplicate: this fraction of what is not lost arrives once more, with a delay of its own.
/// - corrupt: in this fraction of the arrivals, one bit is flipped in each of one to four bytes.
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

/// The seed of the path from one rank to another: distinct and well mixed for neighbouring numbers.
std::uint64_t path_seed(std::uint64_t seed, Rank from, Rank to);

/// The way of everything that one rank sends: its uplink, then a path for each destination. It has no clock
/// and no I/O. What it decides depends only on the specification, on (seed, from, to) and on the calls, and
/// is the same on every platform.
class ImpairedLink {
 public:
  ImpairedLink(const WanSpec& spec, std::uint64_t seed, Rank from, Rank size);

  /// When and how the datagram arrives at `to`. `now` must not go backwards.
  Passages send(Instant now, Rank to, std::size_t bytes);
  /// The same for one that says this; it may be marked.
  Passages send(Instant now, Rank to, std::size_t bytes, Ecn& ecn);

  const ImpairmentCounters& counters() const { return counters_; }

 private:
  WanSpec spec_;
  Uplink uplink_;
  std::vector<Path> paths_;
  ImpairmentCounters counters_;
};

/// Flips one bit in each of one to four neighbouring bytes. A datagram that is not empty always changes.
void flip_bits(std::span<std::byte> datagram, std::uint64_t corruption);

}  // namespace lbsp::transport
