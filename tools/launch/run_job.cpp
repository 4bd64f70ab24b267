#include "tools/launch/run_job.hpp"

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <memory>

#include "tools/launch/automatic_nodes.hpp"
#include "tools/launch/first_rate.hpp"
#include "tools/launch/front.hpp"
#include "tools/launch/kept_job.hpp"
#include "tools/launch/known_network.hpp"
#include "tools/launch/launcher.hpp"
#include "tools/launch/survivors.hpp"
#include "tools/profile/profile_file.hpp"

namespace lbsp::launch {

using request::RunOptions;

namespace {

std::unique_ptr<KnownNetwork> known_network(const RunOptions& options, const places::Placement& placement) {
  if (options.profile_file.empty()) return nullptr;
  return std::make_unique<KnownNetwork>(profile::read_profile(options.profile_file), placement,
                                        options.exchange.datagram_bytes);
}

/// As many bytes of UDP payload as an Ethernet carries in its jumbo frames …
constexpr std::size_t longest_found_datagram = 8972;
/// … and in its usual ones, as a pretended network does that names no MTU.
constexpr std::size_t usual_longest_datagram = 1472;

/// A rank finds out what each path carries, up to the ceiling. The rounds of the paper's schemes have datagrams of one
/// length, because a message cannot be cut anew.
void find_datagrams(RunOptions& options) {
  auto& exchange = options.exchange;
  exchange.find_datagram = exchange.recovery == transport::Recovery::receiver;
  if (exchange.find_datagram && !options.datagram_given)
    exchange.datagram_bytes = options.wan ? usual_longest_datagram : longest_found_datagram;
}

/// What is larger would be dropped on the way.
void limit_datagrams(RunOptions& options, const KnownNetwork* known) {
  if (known == nullptr) return;
  auto& bytes = options.exchange.datagram_bytes;
  bytes = std::min(bytes, known->largest_datagram().value_or(bytes));
}

}  // namespace

int run_job(const RunOptions& given) {
  if (given.exchange.outlives_ranks) {
    folder_of_kept_jobs();  // a problem with it is told now, not when it is needed
    if (const auto code = wait_in_front()) return *code;
  }
  ::signal(SIGPIPE, SIG_IGN);
  RunOptions options = given;
  if (options.automatic_ranks) {
    const ChosenNodes chosen = choose_nodes(options);
    options.ranks = chosen.ranks;
    if (!chosen.hosts.empty()) options.only = chosen.hosts;
  }
  const places::Placement placement = places::place_ranks(options);
  require_survivors(options, placement);
  find_datagrams(options);
  const auto known = known_network(options, placement);
  limit_rate(options, placement, known.get());
  limit_datagrams(options, known.get());
  require_enough_rate(options, placement, known.get());
  return Launcher(options, placement, known.get()).run();
}

}  // namespace lbsp::launch
