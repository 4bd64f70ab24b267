#include "tools/launch/ranks/failures.hpp"

#include <algorithm>

namespace lbsp::launch::ranks {

void Failures::add(Kind kind, const std::string& message, std::optional<Rank> lost) {
  // Graver ones are not put to the vote.
  if (kind != Kind::consequence) lost.reset();
  const auto same = std::ranges::find_if(
      all_, [&](const Failure& failure) { return failure.kind == kind && failure.lost == lost; });
  if (same != all_.end()) {
    if (lost) ++same->votes;
  } else if (!lost || all_.size() < most_lost) {
    all_.push_back({kind, message, lost, lost ? 1 : 0});
  }
}

const std::string& Failures::message() const {
  const Failure* best = &all_.front();
  for (const Failure& failure : all_) {
    const bool graver = failure.kind < best->kind;
    if (graver || (failure.kind == best->kind && failure.votes > best->votes)) best = &failure;
  }
  return best->message;
}

}  // namespace lbsp::launch::ranks
