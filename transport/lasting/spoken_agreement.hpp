#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "transport/membership/agreement.hpp"
#include "transport/membership/view_channel.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The agreement of one epoch, whose views go and come as datagrams.
class SpokenAgreement : public Agreement {
 public:
  SpokenAgreement(AgreementConfig config, Held held, const JobKey& epoch_key, Cipher cipher, Instant now)
      : Agreement(std::move(config), held, now),
        channel_(epoch_key, this->config().self, this->config().members, cipher) {}

  /// Takes a member's view. False if the datagram is none of this epoch.
  bool take_datagram(std::span<std::byte> datagram, Instant now) {
    const auto said = channel_.read(datagram);
    if (said) take(said->first, said->second, now);
    return said.has_value();
  }
  /// Writes this process's view if it is to be sent now. Returns to whom, and its length.
  std::optional<std::pair<Slot, std::size_t>> next_datagram(std::span<std::byte> buffer, Instant now) {
    const auto to = poll(now);
    if (!to) return std::nullopt;
    return std::pair(*to, channel_.write(*to, view(), buffer));
  }

 private:
  ViewChannel channel_;
};

}  // namespace lbsp::transport
