#include "lbsp/checkpoint/recovery.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::checkpoint {
namespace {

constexpr Rank gone = -1;

}  // namespace

Recovery::Recovery(const Checkpoint& base, const std::vector<Rank>& members, const std::vector<bool>& is_new)
    : base_(base) {
  for (std::size_t rank = 0; rank < base.members.size(); ++rank) {
    const auto found = std::ranges::find(members, base.members[rank]);
    const Rank now = found == members.end() ? gone : static_cast<Rank>(found - members.begin());
    const bool replaced = now != gone && !is_new.empty() && is_new[static_cast<std::size_t>(now)];
    now_.push_back(replaced ? gone : now);
    successors_.push_back(replaced ? now : gone);
    if (now_.back() == gone) lost_.push_back(static_cast<Rank>(rank));
  }
  for (std::size_t rank = 0; rank < members.size(); ++rank)
    if (std::ranges::find(base.members, members[rank]) == base.members.end())
      joined_.push_back(static_cast<Rank>(rank));
}

std::optional<Rank> Recovery::successor(Rank lost) const {
  const Rank now = successors_[static_cast<std::size_t>(lost)];
  return now == gone ? std::nullopt : std::optional(now);
}

std::optional<Rank> Recovery::teller() const {
  const auto found = std::ranges::find_if(now_, [](Rank now) { return now != gone; });
  return found == now_.end() ? std::nullopt : std::optional(*found);
}

Rank Recovery::neighbour(Rank lost) const {
  for (Rank below = lost - 1; below >= 0; --below) {
    const Rank now = now_[static_cast<std::size_t>(below)];
    if (now != gone) return now;
  }
  return 0;
}

std::vector<Recovery::Source> Recovery::sources(Rank lost) const {
  const int needed = base_.layout.needed();
  std::vector<Source> sources;
  if (!base_.elsewhere) return sources;
  std::uint32_t index = 0;
  for (const Rank keeper : base_.layout.keepers(lost)) {
    const Rank now = now_[static_cast<std::size_t>(keeper)];
    if (now != gone) sources.push_back({index, now});
    ++index;
  }
  const auto enough = static_cast<std::size_t>(needed);
  if (sources.size() < enough || needed == 0)
    throw Error(fmt::format(
        "the state of rank {} is lost: {} of the {} pieces that it takes can be had: raise --survive, on more hosts "
        "if need be, or keep the states on disk with --checkpoint and go on from there with --restart",
        base_.members[static_cast<std::size_t>(lost)], sources.size(), needed));
  sources.resize(enough);
  return sources;
}

}  // namespace lbsp::checkpoint
