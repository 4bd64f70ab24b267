#include "tools/launch/failures.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace lbsp::launch {

std::string failure_of(Rank rank, const std::string& host, std::string told) {
  const std::string again = fmt::format(" on rank {}", rank);
  const auto place = told.find(again);
  const auto end = place + again.size();
  const auto ends_a_word = [](char c) { return c == ' ' || c == ':'; };
  if (place != std::string::npos && end < told.size() && ends_a_word(told[end]))
    told.erase(place, again.size());
  return fmt::format("rank {} on {}: {}", rank, host, told);
}

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

}  // namespace lbsp::launch
