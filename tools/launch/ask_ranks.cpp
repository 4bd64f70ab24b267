#include "tools/launch/ask_ranks.hpp"

#include <cstdint>

namespace lbsp::launch {

void ask_ranks(hosts::JobHosts& hosts, const ranks::JobProcesses& processes, job::FrameKind kind) {
  for (const ranks::JobProcess& process : processes)
    if (!process.has_told())
      hosts.send(process.host, {kind, static_cast<std::uint16_t>(process.spawn.first_rank), {}});
}

}  // namespace lbsp::launch
