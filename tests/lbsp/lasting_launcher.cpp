#include "tests/lbsp/lasting_launcher.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "tests/transport/start.hpp"

namespace lbsp::lasting {

void LastingLauncher::look(Instant now) {
  start_new_ones(now);
  start_who_joins(now);
  tell_of_ends(now);
}

void LastingLauncher::start_new_ones(Instant now) {
  if (plan_.respawn_after == Duration{0}) return;
  for (Slot slot = 0; slot < processes_.slots(); ++slot) {
    if (!processes_.last_of(slot).endpoint) continue;  // it has not joined yet
    const LastingProcess& newest = processes_.newest_of(slot);
    if (!newest.dead && (newest.ended() || !is_missed(newest, now))) continue;
    const auto due = due_.emplace(slot, now + plan_.respawn_after).first;
    if (now < due->second) continue;
    due_.erase(due);
    knock_for(processes_.add(slot), now);
    if (plan_.told_after == Duration{0}) continue;
    tell_all({.slot = slot, .epoch = newest.came_in, .ended = newest.dead, .somebody_asks = true}, now);
  }
}

bool LastingLauncher::is_missed(const LastingProcess& process, Instant now) const {
  return process.endpoint && std::ranges::any_of(processes_.all(), [&](const auto& other) {
           if (!other->tells(now)) return false;
           const transport::Missing missing = other->endpoint->missing();
           return missing.epoch >= process.came_in &&
                  std::ranges::find(missing.ranks, process.slot) != missing.ranks.end();
         });
}

void LastingLauncher::start_who_joins(Instant now) {
  while (joined_ < plan_.joins_at.size() && now - transport::start >= plan_.joins_at[joined_]) {
    knock_for(processes_.add_with_slot(), now);
    ++joined_;
  }
}

void LastingLauncher::knock_for(LastingProcess& process, Instant now) {
  transport::Seat seat{
      .slot = process.slot, .spare = static_cast<std::uint16_t>(process.slot), .incarnation = {}};
  seat.incarnation.bytes[0] = static_cast<std::byte>(processes_.count());
  process.knocks_at = process.at;
  process.newcomer =
      std::make_unique<transport::Newcomer>(config_.key, seat, processes_.slots(), config_.cipher, now);
}

void LastingLauncher::tell_of_ends(Instant now) {
  std::erase_if(slanders_, [&](const LastingPlan::Slander& slander) {
    const bool due = slander.of < processes_.count() && now - transport::start >= slander.at;
    if (due) tell_of_end(processes_.of(slander.of), now);
    return due;
  });
  if (plan_.told_after == Duration{0}) return;
  for (const auto& process : processes_.all()) {
    if (!process->dead || !process->endpoint || process->finished) continue;
    Ended& ended = ended_.emplace(process.get(), Ended{now}).first->second;
    if (ended.tellings >= 2 || now - ended.at < plan_.told_after * (ended.tellings + 1)) continue;
    ++ended.tellings;
    tell_of_end(*process, now);
  }
}

void LastingLauncher::tell_of_end(const LastingProcess& process, Instant now) {
  tell_all({.slot = process.slot, .epoch = process.came_in, .ended = true}, now);
}

void LastingLauncher::tell_all(const transport::LossNotice& notice, Instant now) {
  for (const auto& other : processes_.all())
    if (other->tells(now)) other->endpoint->take_notice(notice, now);
}

}  // namespace lbsp::lasting
