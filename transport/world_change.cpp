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

namespace transport {
namespace {

template <class T>
std::vector<T> joined(std::vector<T> first, const std::vector<T>& then) {
  first.insert(first.end(), then.begin(), then.end());
  return first;
}

}  // namespace

WorldChange followed_by(const WorldChange& earlier, const WorldChange& later) {
  WorldChange both = later;
  both.lost = joined(earlier.lost, later.lost);
  both.seated = joined(earlier.seated, later.seated);
  both.newcomers = joined(earlier.newcomers, later.newcomers);
  both.each = one_by_one(earlier);
  for (const WorldChange& change : one_by_one(later))
    both.each.push_back(change);
  return both;
}

std::vector<WorldChange> one_by_one(const WorldChange& change) {
  return change.each.empty() ? std::vector<WorldChange>{change} : change.each;
}

}  // namespace transport

WorldChanged::WorldChanged(transport::WorldChange change)
    : Error(what_changed(change)), change_(std::move(change)) {}

}  // namespace lbsp
