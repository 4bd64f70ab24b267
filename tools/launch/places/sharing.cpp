#include "tools/launch/places/sharing.hpp"

#include "transport/shared_memory/segment.hpp"

namespace lbsp::launch::places {

std::optional<job::SharedMemory> shared_memory_on(const PlacedHost& host, const request::RunOptions& options,
                                                  const Placement& placement) {
  // In a job over several hosts, options about datagrams speak of the network between them.
  const bool asks_for_udp = placement.hosts.size() == 1 ? options.network_given : options.backend_given;
  const bool wanted = options.sharing == request::Sharing::on ||
                      (options.sharing == request::Sharing::automatic && !asks_for_udp);
  // Who goes on without a lost rank has the agreement of datagrams.
  if (options.exchange.outlives_ranks) return std::nullopt;
  if (!wanted || options.wan || options.backend != job::Backend::udp || host.ranks < 2) return std::nullopt;
  const std::uint64_t most = options.exchange.max_message_bytes;
  if (!transport::shared_memory::Geometry::of(host.ranks, most).possible()) return std::nullopt;
  return job::SharedMemory{.first_rank = host.first_rank, .ranks = host.ranks, .message_bytes = most};
}

}  // namespace lbsp::launch::places
