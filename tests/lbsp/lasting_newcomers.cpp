// The processes of a lasting job that come later: in the places of lost ones, or to join the others.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tests/lbsp/lasting_worlds.hpp"

namespace lbsp::lasting {

bool LastingWorlds::tells(const Process& process) const {
  return process.endpoint && !process.dead && !process.ended && now_ >= process.asleep_until;
}

void LastingWorlds::start_new_ones() {
  if (plan_.respawn_after == Duration{0}) return;
  for (Slot slot = 0; slot < slots(); ++slot) {
    if (!last_of(slot).endpoint) continue;  // it has not joined yet
    const Process& newest = of(newest_[static_cast<std::size_t>(slot)]);
    const bool missed = newest.endpoint && std::ranges::any_of(processes_, [&](const auto& other) {
                          if (!tells(*other)) return false;
                          const transport::Missing missing = other->endpoint->missing();
                          return missing.epoch >= newest.came_in &&
                                 std::ranges::find(missing.ranks, slot) != missing.ranks.end();
                        });
    if (!newest.dead && (newest.ended || !missed)) continue;
    const auto due = due_.emplace(slot, now_ + plan_.respawn_after).first;
    if (now_ < due->second) continue;
    due_.erase(due);
    knock_for(add(slot), slot);
    if (plan_.told_after == Duration{0}) continue;
    tell_all({.slot = slot, .epoch = newest.came_in, .ended = newest.dead, .somebody_asks = true});
  }
}

void LastingWorlds::start_who_joins() {
  while (joined_ < plan_.joins_at.size() && now_ - beginning >= plan_.joins_at[joined_]) {
    const Slot slot = slots();
    newest_.push_back(nobody);
    Process& process = add(slot);
    knock_for(process, slot);
    ++joined_;
  }
}

void LastingWorlds::tell_of_ends() {
  for (Plan::Slander& slander : plan_.slanders) {
    if (slander.of >= count() || now_ - beginning < slander.at) continue;
    tell_of_end(of(std::exchange(slander.of, std::numeric_limits<int>::max())));
  }
  if (plan_.told_after == Duration{0}) return;
  for (const auto& process : processes_) {
    if (!process->dead || !process->endpoint || process->finished) continue;
    process->died = std::min(process->died, now_);
    if (process->tellings >= 2 || now_ - process->died < plan_.told_after * (process->tellings + 1)) continue;
    ++process->tellings;
    tell_of_end(*process);
  }
}

void LastingWorlds::tell_of_end(const Process& process) {
  tell_all({.slot = process.slot, .epoch = process.came_in, .ended = true});
}

void LastingWorlds::tell_all(const transport::LossNotice& notice) {
  for (const auto& other : processes_)
    if (tells(*other)) other->endpoint->take_notice(notice, now_);
}

void LastingWorlds::knock_for(Process& process, Slot slot) {
  transport::Seat seat{.slot = slot, .spare = static_cast<std::uint16_t>(slot), .incarnation = {}};
  seat.incarnation.bytes[0] = static_cast<std::byte>(count());
  process.knocks_at = process.at;
  process.newcomer = std::make_unique<transport::Newcomer>(config_.key, seat, slots(), config_.cipher, now_);
}

void LastingWorlds::seek_seat(Index index) {
  Process& process = of(index);
  if (process.newcomer->letter()) {
    config_.rank = process.slot;
    process.endpoint = std::make_unique<LastingEndpoint>(config_, transport::PlannerFactory{},
                                                         *process.newcomer->letter(), now_);
    process.came_in = process.newcomer->letter()->epoch;
    return begin(index);
  }
  std::vector<std::byte> buffer(transport::ExchangeOptions{}.datagram_bytes);
  while (const auto knock = process.newcomer->poll_transmit(buffer, now_)) {
    Index& receiver = process.knocks_at[static_cast<std::size_t>(knock->first)];
    if (const auto former = process.former.find(knock->first); former != process.former.end())
      std::swap(receiver, former->second);
    if (!send_to(receiver, index, std::span(buffer).first(knock->second))) return;
  }
}

}  // namespace lbsp::lasting
