#include "tools/launch/sharing.hpp"

#include "transport/shared_memory/segment.hpp"

namespace lbsp::launch {

std::optional<job::SharedMemory> shared_memory_on(const PlacedHost& host, const RunOptions& options,
                                                  const Placement& placement) {
  const bool wanted =
      options.sharing == Sharing::on || (options.sharing == Sharing::automatic && !options.network_given);
  const bool all_here = placement.hosts.size() == 1;
  if (!wanted || !all_here || options.wan || options.backend != job::Backend::udp || host.ranks < 2)
    return std::nullopt;
  const std::uint64_t most = options.exchange.max_message_bytes;
  if (!transport::shared_memory::Geometry::of(host.ranks, most).possible()) return std::nullopt;
  return job::SharedMemory{.first_rank = host.first_rank, .ranks = host.ranks, .message_bytes = most};
}

}  // namespace lbsp::launch
