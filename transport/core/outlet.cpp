#include "transport/core/outlet.hpp"

#include <algorithm>

namespace lbsp::transport {

const Transmit* Outlet::next(std::span<std::byte> buffer, Instant now) {
  if (const auto* last_word = from_.control.next(buffer, now)) return last_word;
  if (from_.control.failure()) return nullptr;
  if (const auto* about_address = from_.addresses.next(buffer, now)) return about_address;
  state_.queue.release(now);
  state_.near_queue.release(now);
  if (const auto* far = next_to_other_hosts(buffer, now)) return far;
  if (!state_.near_queue.ready() || !state_.near_pacer.may_send(now)) return nullptr;
  return from_.sending.next(state_.near_queue, buffer, now);
}

/// Also reports to all.
const Transmit* Outlet::next_to_other_hosts(std::span<std::byte> buffer, Instant now) {
  const bool report = state_.reports.ready(now, !state_.queue.ready());
  if (!report && !state_.queue.ready() && !from_.sizes.ready(now)) {
    state_.rate.pause(now);
    return nullptr;
  }
  if (state_.rate.refresh(now)) state_.reports.set_rate(state_.rate.rate(), now);
  if (!state_.rate.may_send(now)) return nullptr;
  if (const auto* question = from_.sizes.next_urgent(buffer, now)) return question;
  if (report) {
    if (const auto* written = from_.reporting.next(buffer, now)) return written;
  }
  if (const auto* data = from_.sending.next(state_.queue, buffer, now)) return data;
  return from_.sizes.next_idle(buffer, now);
}

Instant Outlet::next_release() const {
  Instant next = from_.control.next_release();
  if (from_.control.failure()) return next;
  if (from_.addresses.ready()) return Instant{};
  next = std::min({next, state_.queue.next_release(), state_.near_queue.next_release()});
  if (state_.queue.ready()) next = std::min(next, state_.rate.next_release());
  next = std::min(next, std::max(state_.rate.next_release(), from_.sizes.next_release()));
  if (state_.near_queue.ready()) next = std::min(next, state_.near_pacer.next_release());
  if (!state_.reports.empty())
    next = std::min(next,
                    std::max(state_.rate.next_release(), state_.reports.next_release(!state_.queue.ready())));
  return next;
}

}  // namespace lbsp::transport
