#include <algorithm>
#include <chrono>
#include <vector>

#include "transport/paths/datagram_sizes.hpp"
#include "transport/sizes/size_finder.hpp"

/// The part of SizeFinder that puts what seems too long on trial.
namespace lbsp::transport {
namespace {

/// About, of a base's length.
constexpr double bytes_of_trial = 25'000;
/// Where answers take longer, it is worth more that data goes on.
constexpr Duration longest_patience_of_trial = std::chrono::seconds{1};

/// Nothing else is worth a trial, for which data waits.
bool sends_more_than_small_datagrams(const Peer& to) {
  return std::ranges::any_of(to.outbound.messages, [](const OutgoingMessage& message) {
    return message.longest_datagram() > small_datagram_bytes;
  });
}

/// Whose questions take no longer than all others may.
std::ptrdiff_t most_trials_at_once(const EndpointState& state) {
  const double bytes =
      state.rate.rate().value * std::chrono::duration<double>(QuestionWindow::longest_sending).count();
  return 1 + static_cast<std::ptrdiff_t>(bytes / bytes_of_trial);
}

}  // namespace

void SizeFinder::told(Peer& from, Instant now) {
  if (!state_.rules.cuts_anew || !from.echoed.newest) return;
  NarrowPath& narrow = from.path.narrow;
  if (from.path.sizes.on_trial()) {
    ask_next();
    return judge_soon(from, now);
  }
  const bool witness = narrow.reported(from.echoed.newest->packet_number, from.echoed.newest->bytes);
  if (witness) doubtful_.push_back(from.rank);
  std::size_t too_long = 0;
  if (narrow.suspected()) {
    too_long = narrow.long_bytes();
  } else if (from.path.sizes.base_doubtful() && sends_more_than_small_datagrams(from)) {
    doubtful_.push_back(from.rank);
    too_long = from.path.sizes.in_use();
  } else if (witness || (narrow.doubtful() && narrow.untold())) {
    // What is sent again is long. Something short after it makes the next witness; it may be lost, like any.
    state_.alarm.bring_forward(from.rank, Timer::report, now + from.path.times.report_interval());
  }
  if (too_long == 0) return;
  from.path.sizes.begin_trial(too_long);
  line_.join(from.rank);
  ask_next();
}

/// Where messages are short, a witness takes several probes more.
void SizeFinder::unheard(const Peer& from) {
  if (state_.rules.cuts_anew && from.path.narrow.untold()) doubtful_.push_back(from.rank);
}

/// Questions of its trial have not gone out yet.
bool SizeFinder::asks_on_trial(const Peer& of) const {
  return std::ranges::any_of(urgent_, [&](const Job& job) { return job.on_trial && job.peer == of.rank; });
}

/// Where the path's rate is low, data would wait long for questions of which none is answered. At the beginning, they
/// may all be in a queue.
Instant SizeFinder::in_vain_at(const Peer& of) {
  return of.path.sizes.base_open() ? never : of.path.sizes.in_vain_at(2 * of.path.times.probe_timeout());
}

/// If nothing else of a trial will be told, or need be: only what others have overtaken.
void SizeFinder::judge_soon(Peer& of, Instant now) {
  const PathSizes& sizes = of.path.sizes;
  if (!sizes.has_enough_answers() && (asks_on_trial(of) || !sizes.has_answers(of.echoed.packets))) return;
  state_.alarm.bring_forward(of.rank, Timer::size, now + of.reordering(now));
}

void SizeFinder::lower(Peer& of, std::size_t bytes, Instant now) {
  const bool on_trial = of.path.sizes.on_trial();
  of.path.sizes.lower(bytes, now);
  if (on_trial && !of.path.sizes.on_trial()) trial_over(of, now);
}

void SizeFinder::judge(Peer& of, Instant now) {
  PathSizes& sizes = of.path.sizes;
  if (!sizes.on_trial()) return;
  // Where the rate is low, the questions take longer than an answer.
  if (asks_on_trial(of) && !sizes.has_enough_answers() && now < in_vain_at(of))
    return state_.alarm.set(of.rank, Timer::size, now + of.path.times.probe_timeout());
  // At the beginning they may all be in a queue, which more of what goes to this peer would make longer.
  const Duration patience = sizes.more_patience() * of.path.times.probe_timeout();
  if (sizes.base_open() && patience > Duration{0} && patience <= longest_patience_of_trial)
    return state_.alarm.set(of.rank, Timer::size, now + patience);
  switch (sizes.judge(now)) {
    case PathSizes::Verdict::not_proved:
      return ask(of);
    case PathSizes::Verdict::narrow:
      state_.cut_anew(of);
      of.path.train_mark = {};
      if (sizes.has_enough_answers()) begin_others_with(sizes.in_use(), now);
      [[fallthrough]];
    case PathSizes::Verdict::nothing_arrives:
      return trial_over(of, now);
  }
}

/// What makes a path narrow is often near this host, or everywhere: so the paths of which nothing has shown how much
/// they carry begin with as much. Trials of one after the other would take the longer the slower the link is.
void SizeFinder::begin_others_with(std::size_t bytes, Instant now) {
  std::vector<Rank> begun;
  for (const Rank rank : state_.peers.others()) {
    Peer& other = state_.peers[rank];
    if (other.near || !other.path.sizes.base_open() || bytes >= other.path.sizes.in_use()) continue;
    other.path.sizes.begin_with(bytes, now);
    state_.cut_anew(other);
    begun.push_back(rank);
  }
  for (const Rank rank : begun)
    trial_over(state_.peers[rank], now);
}

void SizeFinder::ask_next() {
  while (const auto next = line_.take_next(most_trials_at_once(state_)))
    ask(state_.peers[*next]);
}

void SizeFinder::ask(Peer& of) {
  for (const std::size_t bytes : of.path.sizes.further_questions())
    urgent_.push_back({of.rank, bytes, false, true});
}

void SizeFinder::trial_over(Peer& of, Instant now) {
  of.path.sizes.end_trial();
  of.path.narrow = {};
  state_.alarm.clear(of.rank, Timer::size);
  std::erase_if(urgent_, [&](const Job& job) { return job.on_trial && job.peer == of.rank; });
  state_.release_held_back(of);
  recovery_.answer_awaited(of, now);
  ask_next();
}

}  // namespace lbsp::transport
