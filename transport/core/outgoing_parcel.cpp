#include "transport/core/outgoing_parcel.hpp"

#include <algorithm>

namespace lbsp::transport {

OutgoingParcel::OutgoingParcel(Rank to, Bytes bytes, std::size_t segment_bytes)
    : to_(to),
      bytes_(std::move(bytes)),
      segment_bytes_(segment_bytes),
      segments_((bytes_.size() + segment_bytes - 1) / segment_bytes) {}

std::span<const std::byte> OutgoingParcel::payload(std::uint32_t segment) const {
  const auto rest = std::span(bytes_).subspan(segment * segment_bytes_);
  return rest.first(std::min(rest.size(), segment_bytes_));
}

std::optional<std::uint32_t> OutgoingParcel::next() {
  while (!lost_.empty()) {
    const std::uint32_t segment = lost_.front();
    lost_.pop_front();
    segments_[segment].queued = false;
    if (!segments_[segment].arrived) return segment;
  }
  if (never_sent_ == segment_count()) return std::nullopt;
  return never_sent_++;
}

bool OutgoingParcel::take(const ParcelReport& report) {
  const std::uint64_t end = std::uint64_t{report.first} + report.bits;
  if (end > segment_count()) return false;
  const auto arrived = [&](std::uint32_t segment) {
    if (segments_[segment].arrived) return;
    segments_[segment].arrived = true;
    newest_ = std::max(newest_, segments_[segment].sending);
  };
  for (; prefix_ < report.first; ++prefix_)
    arrived(prefix_);
  for (std::uint16_t bit = 0; bit < report.bits; ++bit)
    if (report.has(bit)) arrived(report.first + bit);
  for (auto segment = report.first; segment < end; ++segment) {
    Segment& state = segments_[segment];
    if (state.arrived || state.queued || state.sending == 0 || state.sending >= newest_) continue;
    state.queued = true;
    lost_.push_back(segment);
  }
  return true;
}

std::vector<Background::Part> OutgoingParcel::missing() const {
  std::vector<Background::Part> parts;
  bool goes_on = false;
  for (std::uint32_t segment = prefix_; segment < segment_count(); ++segment) {
    const auto bytes = payload(segment);
    if (segments_[segment].arrived) {
      goes_on = false;
    } else if (std::exchange(goes_on, true)) {
      parts.back().bytes.insert(parts.back().bytes.end(), bytes.begin(), bytes.end());
    } else {
      parts.push_back({to_, segment * segment_bytes_, {bytes.begin(), bytes.end()}});
    }
  }
  return parts;
}

}  // namespace lbsp::transport
