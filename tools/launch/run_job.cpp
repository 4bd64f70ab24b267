#include "tools/launch/run_job.hpp"

#include <csignal>
#include <memory>

#include "tools/launch/doors/front.hpp"
#include "tools/launch/doors/kept_files.hpp"
#include "tools/launch/launcher.hpp"
#include "tools/launch/network/automatic_nodes.hpp"
#include "tools/launch/network/first_datagrams.hpp"
#include "tools/launch/network/first_rate.hpp"
#include "tools/launch/network/known_network.hpp"
#include "tools/launch/survival/survivors.hpp"
#include "tools/profile/profile_file.hpp"

namespace lbsp::launch {

using request::RunOptions;

namespace {

std::unique_ptr<network::KnownNetwork> known_network(const RunOptions& options,
                                                     const places::Placement& placement) {
  if (options.profile_file.empty()) return nullptr;
  return std::make_unique<network::KnownNetwork>(profile::read_profile(options.profile_file), placement,
                                                 options.exchange.datagram_bytes);
}

}  // namespace

int run_job(const RunOptions& given) {
  if (given.exchange.outlives_ranks) {
    doors::require_folder_of_kept_jobs();  // a problem with it is told now, not when it is needed
    if (const auto code = doors::wait_in_front()) return *code;
  }
  ::signal(SIGPIPE, SIG_IGN);
  RunOptions options = given;
  if (options.automatic_ranks) {
    const network::ChosenNodes chosen = network::choose_nodes(options);
    options.ranks = chosen.ranks;
    if (!chosen.hosts.empty()) options.only = chosen.hosts;
  }
  const places::Placement placement = places::place_ranks(options);
  survival::require_survivors(options, placement);
  network::find_datagrams(options);
  const auto known = known_network(options, placement);
  network::limit_rate(options, placement, known.get());
  network::limit_datagrams(options, known.get());
  network::require_enough_rate(options, placement, known.get());
  return Launcher(options, placement, known.get()).run();
}

}  // namespace lbsp::launch
