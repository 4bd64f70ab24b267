#include "transport/core/incoming_parcel.hpp"

#include <algorithm>

namespace lbsp::transport {
namespace {

constexpr int most_reports_of_all = 2;

}  // namespace

IncomingParcel::IncomingParcel(const ParcelHeader& header)
    : id_(header.id),
      bytes_(header.total_bytes),
      segment_bytes_(header.segment_bytes),
      has_((header.total_bytes + header.segment_bytes - 1) / header.segment_bytes),
      missing_(static_cast<std::uint32_t>(has_.size())) {}

bool IncomingParcel::accept(const ParcelHeader& header, std::span<const std::byte> segment, Duration later,
                            Instant now) {
  if (header.total_bytes != bytes_.size() || header.segment_bytes != segment_bytes_) return false;
  if (header.segment >= has_.size()) return false;
  const std::size_t offset = header.segment * segment_bytes_;
  if (segment.size() != std::min(segment_bytes_, bytes_.size() - offset)) return false;
  if (!has_[header.segment]) {
    std::ranges::copy(segment, bytes_.begin() + static_cast<std::ptrdiff_t>(offset));
    has_[header.segment] = true;
    --missing_;
    while (first_missing_ < has_.size() && has_[first_missing_])
      ++first_missing_;
  }
  if (reports_of_all_ < most_reports_of_all)
    report_at_ = std::min(report_at_, complete() && reports_of_all_ == 0 ? now : now + later);
  return true;
}

ParcelReport IncomingParcel::report(std::span<std::byte> bitmap) const {
  ParcelReport report;
  report.id = id_;
  report.first = first_missing_;
  const std::size_t known = has_.size() - first_missing_;
  report.bits = static_cast<std::uint16_t>(std::min({known, bitmap.size() * 8, std::size_t{UINT16_MAX}}));
  report.bitmap = bitmap.first((report.bits + 7u) / 8u);
  std::ranges::fill(bitmap, std::byte{0});
  for (std::uint16_t bit = 0; bit < report.bits; ++bit)
    if (has_[first_missing_ + bit]) bitmap[bit / 8u] |= std::byte{1} << (bit % 8);
  return report;
}

void IncomingParcel::reported(Duration later, Instant now) {
  report_at_ = never;
  if (!complete()) return;
  if (++reports_of_all_ < most_reports_of_all) report_at_ = now + later;
}

}  // namespace lbsp::transport
