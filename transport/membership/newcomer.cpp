#include "transport/membership/newcomer.hpp"

namespace lbsp::transport {
namespace {

/// A knock has 54 bytes.
constexpr Duration between_knocks = std::chrono::milliseconds{20};

}  // namespace

Newcomer::Newcomer(const JobKey& job_key, const Seat& seat, Slot size, Cipher cipher, Instant now)
    : channel_(job_key, seat, size, cipher), self_(seat.slot), size_(size), next_(size), round_(now) {}

void Newcomer::handle_datagram(std::span<std::byte> datagram) {
  if (auto letter = channel_.read(datagram)) letter_ = std::move(letter);
}

std::optional<std::pair<Slot, std::size_t>> Newcomer::poll_transmit(std::span<std::byte> buffer,
                                                                    Instant now) {
  if (letter_) return std::nullopt;
  if (next_ >= size_ && round_ <= now) {
    next_ = 0;
    round_ = now + between_knocks;
  }
  if (next_ == self_) ++next_;
  if (next_ >= size_) return std::nullopt;
  const Slot to = next_++;
  return std::pair{to, channel_.write(to, buffer)};
}

Instant Newcomer::next_timeout() const {
  return letter_ ? never : round_;
}

}  // namespace lbsp::transport
