#include "tools/launch/ranks/failures.hpp"

#include <algorithm>

namespace lbsp::launch::ranks {

void Failures::add(Kind kind, const std::string& message, std::optional<Rank> lost) {
  all_.push_back({kind, message, lost});
}

const std::string& Failures::message() const {
  const auto votes = [&](const Failure& failure) {
    if (failure.kind != Kind::consequence || !failure.lost) return std::ptrdiff_t{0};
    return std::ranges::count(all_, failure.lost, &Failure::lost);
  };
  const Failure* best = &all_.front();
  for (const Failure& failure : all_) {
    const bool graver = failure.kind < best->kind;
    if (graver || (failure.kind == best->kind && votes(failure) > votes(*best))) best = &failure;
  }
  return best->message;
}

}  // namespace lbsp::launch::ranks
