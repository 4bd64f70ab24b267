#include "tools/launch/survival/survivors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <vector>

#include "transport/error.hpp"
#include "transport/membership/member_set.hpp"

namespace lbsp::launch::survival {
namespace {

/// Where all ranks are on one host, each counts as a host of its own, as for the keepers of its state.
std::vector<int> ranks_of_hosts(const places::Placement& placement) {
  std::vector<int> ranks;
  for (const places::PlacedHost& host : placement.hosts)
    if (host.ranks > 0) ranks.push_back(host.ranks);
  if (ranks.size() < 2) ranks.assign(static_cast<std::size_t>(placement.size), 1);
  return ranks;
}

/// So many hosts, if they are those with the fewest ranks, leave half of the ranks, the least that can go on.
int most_that_can_be_lost(std::vector<int> ranks_of_hosts) {
  std::ranges::sort(ranks_of_hosts);
  const int half = std::accumulate(ranks_of_hosts.begin(), ranks_of_hosts.end(), 0) / 2;
  int lost = 0;
  int hosts = 0;
  for (const int ranks : ranks_of_hosts) {
    lost += ranks;
    if (lost > half) break;
    ++hosts;
  }
  return hosts;
}

}  // namespace

void require_survivors(const request::RunOptions& options, const places::Placement& placement) {
  if (!options.exchange.outlives_ranks) return;
  if (placement.size > transport::MemberSet::most)
    throw UsageError(
        fmt::format("{} ranks are too many to go on without some: choose {} at most, or --on-failure abort",
                    placement.size, transport::MemberSet::most));
  if (options.survive == 1) return;
  const std::vector<int> hosts = ranks_of_hosts(placement);
  const int most = most_that_can_be_lost(hosts);
  if (options.survive <= most) return;
  throw UsageError(fmt::format(
      "--survive {} where {} hosts keep states: without so many no half of the ranks is left to go on: "
      "choose {}, or more hosts",
      options.survive, hosts.size(), most > 1 ? fmt::format("{} at most", most) : "1"));
}

}  // namespace lbsp::launch::survival
