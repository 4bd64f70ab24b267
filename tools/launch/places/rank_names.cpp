#include "tools/launch/places/rank_names.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "transport/counted.hpp"

namespace lbsp::launch::places {
namespace {

constexpr std::size_t most_named = 3;

}  // namespace

std::string name_ranks(const std::vector<Rank>& ranks) {
  const std::size_t named = std::min(ranks.size(), most_named);
  std::string text =
      fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s",
                  fmt::join(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(named), ", "));
  if (ranks.size() > named) text += " and " + counted(ranks.size() - named, "other");
  return text;
}

}  // namespace lbsp::launch::places
