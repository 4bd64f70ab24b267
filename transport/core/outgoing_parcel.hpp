#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "transport/background.hpp"
#include "transport/bytes.hpp"
#include "transport/units.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// A parcel to one peer, in segments: which have been sent, and which have arrived.
class OutgoingParcel {
 public:
  /// `bytes` and `segment_bytes` are at least 1.
  OutgoingParcel(Rank to, Bytes bytes, std::size_t segment_bytes);

  Rank to() const { return to_; }
  std::uint64_t total_bytes() const { return bytes_.size(); }
  std::size_t segment_bytes() const { return segment_bytes_; }
  std::uint32_t segment_count() const { return static_cast<std::uint32_t>(segments_.size()); }
  std::span<const std::byte> payload(std::uint32_t segment) const;

  /// The segment to be sent next: one that was lost, or else one that was not sent yet.
  std::optional<std::uint32_t> next();
  bool has_next() const { return !lost_.empty() || never_sent_ < segment_count(); }
  void sent(std::uint32_t segment) { segments_[segment].sending = ++sendings_; }
  /// False if the report is of no such parcel.
  bool take(const ParcelReport& report);

  /// What is not known to have arrived, in order.
  std::vector<Background::Part> missing() const;

 private:
  struct Segment {
    std::uint64_t sending = 0;  ///< the number of its last one, from 1; 0: none yet
    bool arrived = false;
    bool queued = false;  ///< to be sent again
  };

  Rank to_;
  Bytes bytes_;
  std::size_t segment_bytes_;
  std::vector<Segment> segments_;
  std::uint32_t never_sent_ = 0;  ///< the first such segment
  std::uint32_t prefix_ = 0;      ///< all before it have arrived
  std::deque<std::uint32_t> lost_;
  std::uint64_t sendings_ = 0;
  std::uint64_t newest_ = 0;  ///< the latest sending that has arrived
};

}  // namespace lbsp::transport
