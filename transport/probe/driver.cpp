#include "transport/probe/driver.hpp"

#include <algorithm>

#include "transport/probe/datagram.hpp"
#include "transport/udp/sockets/route.hpp"

namespace lbsp::transport::probe {
namespace {

// Replies to strangers pass through a pretended network too, each on a path of its own.
constexpr std::size_t most_paths = 16;

transport::DatagramLoop::Settings loop_settings(const std::optional<transport::WanSpec>& wan,
                                                std::uint64_t wan_seed) {
  transport::DatagramLoop::Settings settings{.receive = {.datagram_bytes = most_packet, .sources = true}};
  if (wan) settings.link.emplace(*wan, wan_seed, 0, static_cast<Rank>(most_paths));
  return settings;
}

}  // namespace

Driver::Driver(transport::UdpPort port, End& end, const std::optional<transport::WanSpec>& wan,
               std::uint64_t wan_seed)
    : end_(end), loop_(std::move(port), *this, loop_settings(wan, wan_seed)) {}

void Driver::handle_datagram(std::span<std::byte> datagram, const SocketAddress& from,
                             const transport::Arrival& arrival) {
  end_.handle_datagram(datagram, from, arrival.at);
}

std::optional<transport::Correspondent::Outgoing> Driver::poll_transmit(std::span<std::byte> buffer,
                                                                        Instant time) {
  const auto outgoing = end_.poll_transmit(buffer, time);
  if (!outgoing) return std::nullopt;
  return Outgoing{path_to(outgoing->to), outgoing->bytes};
}

void Driver::after_sending() {
  if (on_event_) on_event_();
}

Rank Driver::path_to(const SocketAddress& address) {
  const auto found =
      std::ranges::find_if(paths_, [&](const SocketAddress& each) { return same_address(each, address); });
  if (found != paths_.end()) return static_cast<Rank>(found - paths_.begin());
  if (paths_.size() < most_paths) {
    paths_.push_back(address);
    return static_cast<Rank>(paths_.size() - 1);
  }
  paths_[oldest_path_] = address;
  return static_cast<Rank>(std::exchange(oldest_path_, (oldest_path_ + 1) % most_paths));
}

std::size_t largest_unfragmented(const transport::SocketAddress& peer) {
  return std::min(transport::longest_datagram(peer).value_or(most_packet), most_packet);
}

}  // namespace lbsp::transport::probe
