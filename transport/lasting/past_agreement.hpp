#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "transport/core/endpoint.hpp"
#include "transport/lasting/process_names.hpp"
#include "transport/lasting/spoken_agreement.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The agreement of the epoch before, if there was one: it goes on to speak to those who do not know its end.
class PastAgreement {
 public:
  PastAgreement() = default;
  /// `stations`: of its members, by slot; none: they are the slots.
  PastAgreement(std::unique_ptr<SpokenAgreement> agreement, std::vector<Station> stations)
      : agreement_(std::move(agreement)), stations_(std::move(stations)) {}

  void take_datagram(std::span<std::byte> datagram, Instant now) {
    if (agreement_) agreement_->take_datagram(datagram, now);
  }
  std::optional<Transmit> next_datagram(std::span<std::byte> buffer, Instant now) {
    if (!agreement_) return std::nullopt;
    const auto view = agreement_->next_datagram(buffer, now);
    if (!view) return std::nullopt;
    const auto [to, bytes] = *view;
    return Transmit{stations_.empty() ? to : stations_[static_cast<std::size_t>(to)], bytes};
  }
  Instant next_timeout() const { return agreement_ ? agreement_->next_timeout() : never; }

 private:
  std::unique_ptr<SpokenAgreement> agreement_;
  std::vector<Station> stations_;
};

}  // namespace lbsp::transport
