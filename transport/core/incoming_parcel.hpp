#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/units.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// A parcel from one peer, as far as it has arrived, and when the peer is told of it.
class IncomingParcel {
 public:
  IncomingParcel() = default;
  /// Of a segment that has come first. Throws std::bad_alloc.
  explicit IncomingParcel(const ParcelHeader& header);

  std::uint64_t id() const { return id_; }
  /// False if it is not of this parcel. `later`: how long the peer may wait to be told.
  bool accept(const ParcelHeader& header, std::span<const std::byte> segment, Duration later, Instant now);
  Bytes take_bytes() { return std::move(bytes_); }

  Instant report_at() const { return report_at_; }
  /// In a bitmap of so many bytes at most, at least 1, which is written there.
  ParcelReport report(std::span<std::byte> bitmap) const;
  /// The peer has been told. Once all has arrived it is told so again, `later`.
  void reported(Duration later, Instant now);

 private:
  bool complete() const { return missing_ == 0; }

  std::uint64_t id_ = 0;
  Bytes bytes_;
  std::size_t segment_bytes_ = 1;
  std::vector<bool> has_;
  std::uint32_t first_missing_ = 0;
  std::uint32_t missing_ = 0;
  int reports_of_all_ = 0;
  Instant report_at_ = never;
};

}  // namespace lbsp::transport
