#include "transport/core/endpoint_state.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"
#include "transport/fixed_redundancy.hpp"

namespace lbsp::transport {
namespace {

EndpointConfig checked(EndpointConfig config) {
  validate(config.options);
  if (config.size < 1 || config.size > max_ranks || config.rank < 0 || config.rank >= config.size) {
    throw UsageError(
        fmt::format("rank {} of {} ranks: choose 1 to {} ranks", config.rank, config.size, max_ranks));
  }
  if (!config.planner) config.planner = std::make_shared<FixedRedundancy>(config.options.copies);
  return config;
}

double usual_loss(const std::vector<PathForecast>& priors) {
  if (priors.empty()) return default_prior().loss;
  const auto highest = std::ranges::max_element(priors, {}, &PathForecast::loss);
  return highest->loss;
}

}  // namespace

EndpointState::EndpointState(EndpointConfig given, Instant now)
    : config(checked(std::move(given))),
      peers(config, now),
      alarm(peers),
      rate(config.options, usual_loss(config.priors), now),
      reports(config.options.rate, config.size, now),
      planner(config.planner),
      room(room_for_each_peer(config.buffer_datagrams, config.size)) {}

void EndpointState::complete_leg() {
  leg.active = false;
  position = leg.id.leg == Leg::messages ? MessageId{leg.id.superstep, Leg::replies}
                                         : MessageId{leg.id.superstep + 1, Leg::messages};
}

void EndpointState::queue_report(Rank rank) {
  peers[rank].report_queued = true;
  reports.push(rank);
}

void EndpointState::release_held_back(Rank rank) {
  for (const PassJob& job : peers[rank].held_back)
    queue.passes.push(job);
  peers[rank].held_back.clear();
}

}  // namespace lbsp::transport
