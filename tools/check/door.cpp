#include "tools/check/door.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <sys/socket.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::check {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr milliseconds between_rounds{300};
constexpr nanoseconds byte_time{2000};  // 4 Mbit/s
constexpr std::size_t most_datagram_bytes = 65536;

std::vector<std::uint16_t> as_list(const std::set<std::uint16_t>& sizes) {
  return {sizes.begin(), sizes.end()};
}

}  // namespace

Door::Door(transport::UdpPort port, const Setup& setup)
    : port_(std::move(port)), key_(setup.key), cipher_(key_, setup.own, setup.hosts), own_(setup.own) {}

void Door::knock_at(const std::vector<transport::PeerAddress>& hosts, Clock::time_point now) {
  others_.clear();
  for (int host = 0; host < static_cast<int>(hosts.size()); ++host) {
    const auto& address = hosts[static_cast<std::size_t>(host)];
    if (host == own_ || address.host.empty()) continue;
    others_.emplace(host, transport::resolve(address, port_.family()));
    full_[host] = full_knock_to(address.host);
  }
  sizes_.clear();
  knocking_ = true;
  begin_round(now);
}

KnockSizes& Door::sizes_of(int host) {
  return sizes_.try_emplace(host, full_.at(host)).first->second;
}

void Door::begin_round(Clock::time_point now) {
  next_ = now;
  next_round_ = now + between_rounds;
  round_.clear();
  for (const auto& [host, address] : others_)
    for (const std::uint16_t size : sizes_of(host).begin_round())
      round_.push_back({host, size});
  // In turns, so that no link has several at once.
  std::ranges::stable_sort(round_, std::greater{}, &Due::size);
}

void Door::receive() {
  std::array<std::byte, most_datagram_bytes> buffer;
  for (;;) {
    transport::SocketAddress from;
    from.length = sizeof from.storage;
    const auto got = ::recvfrom(port_.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT, from.get(),
                                &from.length);
    if (got < 0) return;
    const auto bytes = static_cast<std::size_t>(got);
    const auto knock = cipher_.open(std::span(buffer).first(bytes));
    if (!knock) continue;
    if (knock->answer) {
      if (const auto own = sizes_.find(knock->from); own != sizes_.end()) own->second.answered(knock->size);
    } else {
      arrived_[knock->from].insert(knock->size);
      send(knock->from, cipher_.seal({.answer = true, .from = own_, .to = knock->from, .size = knock->size}),
           from);
    }
  }
}

bool Door::send_due(Clock::time_point now) {
  if (!knocking_) return false;
  if (round_.empty() && now >= next_round_) {
    begin_round(now);
    if (round_.empty()) return std::exchange(knocking_, false);
  }
  for (; !round_.empty() && now >= next_; round_.pop_back()) {
    const auto [host, size] = round_.back();
    if (sizes_of(host).is_answered(size)) continue;
    send(host, cipher_.seal({.answer = false, .from = own_, .to = host, .size = size}), others_.at(host));
    next_ += size * byte_time;
  }
  return false;
}

std::optional<Door::Clock::time_point> Door::due() const {
  if (!knocking_) return std::nullopt;
  return round_.empty() ? next_round_ : next_;
}

void Door::send(int host, std::span<const std::byte> datagram, const transport::SocketAddress& to) {
  // What the system refuses, as it is too large for the interface, counts as lost.
  if (::sendto(port_.native_handle(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL, to.get(),
               to.length) < 0) {
    refusals_.refused(host, errno);
  } else {
    refusals_.taken(host);
  }
  for (const auto& [refused, error] : refusals_.take_changes())
    refused_[refused] = error;
}

AllHeard Door::heard() const {
  AllHeard all;
  for (const auto& [host, address] : others_) {
    const auto arrived = arrived_.find(host);
    const auto own = sizes_.find(host);
    const auto refused = refused_.find(host);
    all.push_back({host, arrived == arrived_.end() ? std::vector<std::uint16_t>{} : as_list(arrived->second),
                   own == sizes_.end() ? std::vector<std::uint16_t>{} : as_list(own->second.all_answered()),
                   refused == refused_.end() ? 0 : refused->second});
  }
  return all;
}

}  // namespace lbsp::check
