#include "lbsp/collectives/checks.hpp"

#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::collectives {

void check_root(const World& world, Rank root) {
  if (root >= 0 && root < world.size()) return;
  throw UsageError(fmt::format("a collective was given root {} of {} ranks: choose 0 to {}", root,
                               world.size(), world.size() - 1));
}

World& announced(World& world, const superstep::CollectiveCall& call) {
  if (call.root) check_root(world, *call.root);
  world.agree(call);
  return world;
}

void check_messages(const World& world, std::size_t messages) {
  if (messages == static_cast<std::size_t>(world.size())) return;
  throw UsageError(fmt::format("an all-to-all of {} ranks was given {} messages: give one for every rank",
                               world.size(), messages));
}

}  // namespace lbsp::collectives
