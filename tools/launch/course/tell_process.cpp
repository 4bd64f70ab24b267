#include "tools/launch/course/tell_process.hpp"

#include <cstdint>

namespace lbsp::launch::course {

void tell(hosts::JobHosts& hosts, const ranks::JobProcess& process, job::FrameKind kind,
          const std::string& payload) {
  hosts.send(process.host, {kind, static_cast<std::uint16_t>(process.spawn.first_rank), payload});
}

void begin_process(hosts::JobHosts& hosts, const ranks::JobProcess& process, job::Welcome welcome) {
  welcome.newcomer = static_cast<std::uint32_t>(process.spawn.first_rank);
  tell(hosts, process, job::FrameKind::spawn, to_payload(process.spawn));
  tell(hosts, process, job::FrameKind::welcome, to_payload(welcome));
}

void end_process(hosts::JobHosts& hosts, const ranks::JobProcess& process) {
  if (process.ended) return;
  // Nothing of it is there to be ended but the way to its host.
  if (process.joins && hosts.unanswered(process.host)) return hosts.kill(process.host);
  tell(hosts, process, job::FrameKind::kill);
}

void ask_ranks(hosts::JobHosts& hosts, const ranks::JobProcesses& processes, job::FrameKind kind) {
  for (const ranks::JobProcess& process : processes)
    if (!process.has_told()) tell(hosts, process, kind);
}

}  // namespace lbsp::launch::course
