#include "transport/simulated/superstep.hpp"

#include <fmt/format.h>

#include "transport/error.hpp"
#include "transport/quantity.hpp"

namespace lbsp::transport {
namespace {

// Lets events happen until done(endpoint) held once for each rank; returns when it first did.
template <class Done>
std::vector<Instant> run_all(SimulatedNetwork& network, Duration bound, Done done) {
  const auto deadline = network.now() + bound;
  std::vector<Instant> completed(static_cast<std::size_t>(network.size()), never);
  Rank missing = network.size();
  const auto look_at = [&](Rank rank) {
    auto& time = completed[static_cast<std::size_t>(rank)];
    const auto& endpoint = network.endpoint(rank);
    if (endpoint.failure()) throw_failure(*endpoint.failure());
    if (time != never || !done(endpoint)) return;
    time = network.now();
    --missing;
  };
  for (Rank rank = 0; rank < network.size(); ++rank)
    look_at(rank);
  while (missing > 0) {
    const bool late = network.next_event() > deadline;
    const auto rank = late ? std::nullopt : network.step();
    if (!rank) {
      throw Error(fmt::format("{} of {} ranks are not done {} {}: raise the bound or mend the network",
                              missing, network.size(), format_duration(bound),
                              late ? "after the start, in virtual time" : "and nothing is under way"));
    }
    look_at(*rank);
  }
  return completed;
}

}  // namespace

SuperstepOutcome run_superstep(SimulatedNetwork& network, std::vector<std::vector<Bytes>> outgoing,
                               Duration bound) {
  for (Rank rank = 0; rank < network.size(); ++rank) {
    network.act(rank, [&](Endpoint& endpoint, Instant now) {
      endpoint.begin_exchange(std::move(outgoing[static_cast<std::size_t>(rank)]), now);
    });
  }
  SuperstepOutcome outcome;
  outcome.completed =
      run_all(network, bound, [](const Endpoint& endpoint) { return endpoint.exchange_complete(); });
  for (Rank rank = 0; rank < network.size(); ++rank) {
    network.act(rank,
                [&](Endpoint& endpoint, Instant) { outcome.received.push_back(endpoint.take_messages()); });
  }
  return outcome;
}

void run_finish(SimulatedNetwork& network, Duration bound) {
  for (Rank rank = 0; rank < network.size(); ++rank) {
    network.act(rank, [](Endpoint& endpoint, Instant now) { endpoint.begin_finish(now); });
  }
  run_all(network, bound, [](const Endpoint& endpoint) { return endpoint.finished(); });
}

}  // namespace lbsp::transport
