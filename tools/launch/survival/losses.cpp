#include "tools/launch/survival/losses.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace lbsp::launch::survival {

Losses::Loss& Losses::entry(Rank rank) {
  const auto known =
      std::ranges::find_if(losses_, [&](const Loss& loss) { return loss.rank == rank && !loss.back; });
  if (known != losses_.end()) return *known;
  forget_oldest();
  return losses_.emplace_back(Loss{rank, Clock::now() - began_, {}, false, {}});
}

/// A rank that is lost has one entry that is not back, so there are as many of those as ranks at most.
void Losses::forget_oldest() {
  if (losses_.size() < most_losses) return;
  const auto oldest = std::ranges::find_if(losses_, [](const Loss& loss) { return loss.back; });
  if (oldest != losses_.end()) losses_.erase(oldest);
}

void Losses::add(Rank rank, const std::string& how) {
  Loss& loss = entry(rank);
  if (loss.how.empty()) loss.how = how;
}

void Losses::came_after_all(Rank rank, const std::string& how) {
  const auto known =
      std::find_if(losses_.rbegin(), losses_.rend(), [&](const Loss& loss) { return loss.rank == rank; });
  if (known == losses_.rend()) return add(rank, how);
  known->back = false;
  known->how = how;
}

bool Losses::changed(const job::Changed& change) {
  const auto known =
      std::ranges::find(changes_, change.epoch, [](const Change& of) { return of.what.epoch; });
  if (known != changes_.end()) {
    known->what.agreement = std::max(known->what.agreement, change.agreement);
    known->what.silence = std::max(known->what.silence, change.silence);
    known->agreement = std::min<Seconds>(known->agreement, change.agreement);
    known->silence = std::min<Seconds>(known->silence, change.silence);
    return false;
  }
  const bool full = changes_.size() >= most_changes;
  if (full && change.epoch < changes_.front().what.epoch) return false;
  for (const Rank rank : change.lost)
    entry(rank);
  std::vector<Rank> joined;
  for (const Rank rank : change.seated) {
    if (has(rank) && !is_new(rank, change.epoch)) {
      entry(rank).back = true;
    } else {
      joined.push_back(rank);
    }
  }
  const auto later =
      std::ranges::find_if(changes_, [&](const Change& of) { return of.what.epoch > change.epoch; });
  changes_.insert(later, Change{.what = change,
                                .silence = change.silence,
                                .agreement = change.agreement,
                                .at = Clock::now() - began_,
                                .joined = std::move(joined)});
  if (full) {
    changes_.erase(changes_.begin());
    ++forgotten_changes_;
  }
  return true;
}

std::vector<job::Changed> Losses::changes_between(std::uint32_t after, std::uint32_t until) const {
  std::vector<job::Changed> between;
  for (const Change& change : changes_)
    if (change.what.epoch > after && change.what.epoch <= until) between.push_back(change.what);
  if (!between.empty() && between.back().epoch != until) between.clear();
  return between;
}

const Losses::Loss& Losses::newest(Rank rank) const {
  return *std::find_if(losses_.rbegin(), losses_.rend(), [&](const Loss& loss) { return loss.rank == rank; });
}

void Losses::set_in_a_row(Rank rank, std::uint32_t epoch, int losses) {
  const auto loss =
      std::find_if(losses_.rbegin(), losses_.rend(), [&](const Loss& of) { return of.rank == rank; });
  if (loss != losses_.rend()) loss->in_a_row = losses;
  const auto change = std::ranges::find(changes_, epoch, [](const Change& of) { return of.what.epoch; });
  if (change != changes_.end()) change->in_a_row = std::max(change->in_a_row, losses);
}

void Losses::was_on(Rank rank, const std::string& host) {
  for (Loss& loss : losses_)
    if (loss.rank == rank && loss.host.empty()) loss.host = host;
}

bool Losses::is_new(Rank rank, std::uint32_t epoch) const {
  return rank >= size_ && std::ranges::none_of(changes_, [&](const Change& change) {
           return change.what.epoch < epoch &&
                  std::ranges::find(change.what.members, rank) != change.what.members.end();
         });
}

bool Losses::never_joined(Rank rank) const {
  return is_new(rank, std::numeric_limits<std::uint32_t>::max());
}

void Losses::resumed(const job::Resumed& rank) {
  const auto change = std::ranges::find(changes_, rank.epoch, [](const Change& of) { return of.what.epoch; });
  if (change == changes_.end()) return;
  change->resumed = std::max(change->resumed.value_or(Seconds{0}), Seconds(rank.after));
  if (rank.waited) change->waited = std::min(change->waited.value_or(Seconds::max()), Seconds(*rank.waited));
}

std::optional<Seconds> Losses::Change::stood_still() const {
  if (!resumed) return std::nullopt;
  // Who was lost had come back, and spoken again, when the others had begun to agree.
  if (agreement > silence) return std::max(agreement, waited.value_or(Seconds{0})) + *resumed;
  return silence + *resumed;
}

std::string Losses::first_reason() const {
  const auto told = std::ranges::find_if(losses_, [](const Loss& loss) { return !loss.how.empty(); });
  if (told != losses_.end()) return told->how;
  return fmt::format("rank {} was silent for too long: look at its host and network, or raise --peer-timeout",
                     losses_.front().rank);
}

bool Losses::is_back_since(Rank rank, std::uint32_t epoch) const {
  return std::ranges::any_of(changes_, [&](const Change& change) {
    return change.what.epoch > epoch &&
           std::ranges::find(change.what.seated, rank) != change.what.seated.end();
  });
}

bool Losses::has(Rank rank) const {
  return std::ranges::any_of(losses_, [&](const Loss& loss) { return loss.rank == rank && !loss.back; });
}

}  // namespace lbsp::launch::survival
