#include "tools/launch/members/departures.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "tools/launch/course/tell_process.hpp"

namespace lbsp::launch::members {

using course::Phase;
using ranks::JobProcess;

namespace {

/// Ranks that leave in good order do so within a round trip or two. Nobody is told anything then.
constexpr std::chrono::milliseconds usual_parting{250};

}  // namespace

void Departures::tell_soon() {
  const bool over_udp = job_.options.backend == job::Backend::udp;
  if (over_udp && ending_.phase() == Phase::running && !timer_.running())
    timer_.start(usual_parting, [this] { tell(); });
}

void Departures::tell() {
  if (ending_.phase() != Phase::running) return;
  std::vector<int> departed;
  for (const JobProcess& process : job_.processes) {
    if (!process.has_departed()) continue;
    for (int place = 0; place < process.spawn.ranks; ++place)
      departed.push_back(process.rank() + place);
  }
  if (departed.empty()) return;
  const std::string ranks = job::ranks_to_payload(departed);
  for (const JobProcess& process : job_.processes)
    if (process.is_awaited() && !process.has_departed())
      course::tell(job_.hosts, process, job::FrameKind::departed, ranks);
}

}  // namespace lbsp::launch::members
