#include "transport/world_change.hpp"

#include <fmt/format.h>
#include <utility>

#include "transport/counted.hpp"
#include "transport/error.hpp"

namespace lbsp {
namespace {

std::string what_changed(const transport::WorldChange& change) {
  const std::string who = change.lost.empty() ? "no rank was lost, but some were silent"
                                              : counted(change.lost.size(), "rank") + " lost";
  return fmt::format(
      "{}, and {} go on: let this error through to lbsp::run, which calls the program again, or use --on-failure abort",
      who, counted(change.members.size(), "rank"));
}

}  // namespace

WorldChanged::WorldChanged(transport::WorldChange change)
    : Error(what_changed(change)), change_(std::move(change)) {}

}  // namespace lbsp
