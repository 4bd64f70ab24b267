#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "transport/ecn.hpp"
#include "transport/simulated/active_queue.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// A link that several senders share: it sends one datagram after another at its rate, from a drop-tail queue.
/// A datagram that finds more than `queue_bytes` waiting is dropped; of the one on the wire, the part that has
/// not left counts. Bytes are bytes of UDP payload.
struct BottleneckSpec {
  struct Change {
    Instant at;
    BytesPerSecond rate;
  };

  BytesPerSecond rate;
  std::uint64_t queue_bytes = std::uint64_t{256} << 10;
  std::vector<Change> changes = {};  ///< the rate from then on, in the order of time
  /// The link is fast, and a policer drops what exceeds the rate by more than `queue_bytes`: nothing ever waits.
  bool polices = false;
  /// A bucket: so many bytes pass at once after idle time, and wait only once it is empty (the kernel's tbf).
  std::uint64_t bucket_bytes = 0;
  /// Which datagram finds room in a full queue follows from when it comes, to the nanosecond. False: it is chance, too,
  /// for up to two datagrams of room. Senders in virtual time are so even that one can find room always, and others
  /// never, as no real ones do (Floyd and Jacobson, On traffic phase effects in packet-switched gateways, 1992).
  bool exact = true;
  /// What lets itself be marked and finds more bytes waiting is marked (RFC 8257); none: nothing is.
  std::optional<std::uint64_t> mark_bytes = {};
  /// What is dropped besides, or marked where it lets itself be and the rule marks.
  ActiveQueueRule rule = ActiveQueueRule::none;
  bool rule_marks = false;
};

class Bottleneck {
 public:
  explicit Bottleneck(BottleneckSpec spec);

  /// When the datagram's last byte has left; nullopt: dropped. Throws std::logic_error if `now` goes backwards: who
  /// sends too early from a time of its own would keep the link from all others until then.
  std::optional<Instant> send(Instant now, std::size_t bytes);
  /// The same for one that says this; it may be marked.
  std::optional<Instant> send(Instant now, std::size_t bytes, Ecn& ecn);

  /// How long a datagram of no bytes would wait.
  Duration waiting(Instant now) const {
    return spec_.polices ? Duration{0} : std::max(leaves(free_at_, now) - now, Duration{0});
  }
  BytesPerSecond rate(Instant time) const;
  std::uint64_t carried_bytes() const { return carried_bytes_; }
  std::uint64_t datagrams() const { return datagrams_; }  ///< carried
  std::uint64_t drops() const { return drops_; }
  std::uint64_t marks() const { return marks_; }

 private:
  double chance() const;
  Instant next_change(Instant time) const;
  double carried_between(Instant from, Instant to) const;
  Instant after(Instant from, double bytes) const;
  Instant leaves(Instant without_bucket, Instant now) const;

  BottleneckSpec spec_;
  ActiveQueue active_;
  Instant now_{};
  Instant free_at_{};
  std::uint64_t carried_bytes_ = 0;
  std::uint64_t datagrams_ = 0;
  std::uint64_t drops_ = 0;
  std::uint64_t marks_ = 0;
};

/// Where ranks stand: hosts with as many ranks each, in their order, and their links. Between ranks of one host
/// there is neither a link nor the WAN's loss, only `local_delay`.
struct Topology {
  struct Host {
    Rank ranks = 1;
    std::shared_ptr<Bottleneck> uplink = {};    ///< none: no limit
    std::shared_ptr<Bottleneck> downlink = {};  ///< likewise
    /// Hosts of one site reach each other without these links; 0: a site of its own.
    int site = 0;
  };

  std::vector<Host> hosts = {};     ///< empty: every rank has a host of its own, without links
  bool ranks_share_uplinks = true;  ///< the ranks of a host know of each other, as where they share memory
  Duration local_delay = std::chrono::microseconds{25};
};

}  // namespace lbsp::transport
