#include "transport/sizes/size_finder.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <utility>

#include "transport/paths/datagram_sizes.hpp"
#include "transport/rate/first_flight.hpp"
#include "transport/sizes/question_order.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// Questions of one peer that wait for their answers; a trial has fewer.
constexpr std::ptrdiff_t most_answers = 64;
/// Where a leg sends to more peers than this, only those are asked to which it sends something long: else the questions
/// of a large job would be most of what it sends, though all its messages are short.
constexpr std::size_t most_asked_of_short = 64;
/// For the questions of trials.
constexpr Duration longest_wait_of_answers = 100ms;
/// Nobody answers any more, whatever was sent before.
constexpr Duration longest_patience = 5s;

/// A question that has nothing but what it must have.
constexpr std::size_t shortest_question_bytes = clear_header_bytes + size_header_bytes + tag_bytes;

/// Longer datagrams would carry some of it.
bool lacks_something_long(const Peer& to) {
  return std::ranges::any_of(to.outbound.messages,
                             [](const OutgoingMessage& message) { return message.segment_count() > 1; });
}

/// It says nothing of the lengths that are looked for.
bool is_of_first_flight(std::size_t bytes) {
  return bytes == FirstFlight::train_datagram_bytes(1) || bytes == FirstFlight::train_datagram_bytes(2);
}

/// Bytes, at the rank's rate.
double sent_within(Duration time, const EndpointState& state) {
  return state.rate.rate().value * std::chrono::duration<double>(time).count();
}

/// The same echo, told so much later.
Echo held(Echo echo, Duration time) {
  const auto longer = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
  const auto most = static_cast<std::int64_t>(UINT32_MAX - echo.hold_microseconds);
  echo.hold_microseconds += static_cast<std::uint32_t>(std::clamp<std::int64_t>(longer, 0, most));
  return echo;
}

}  // namespace

SizeFinder::SizeFinder(EndpointState& state, DatagramWriter& writer, LossRecovery& recovery)
    : state_(state),
      writer_(writer),
      recovery_(recovery),
      early_(state.peers),
      line_(state.peers),
      window_(!state.config.options.find_rate) {
  if (finds_first_rate(state)) ask_at_once();
}

/// The answers to what goes at once to peers on other hosts tell how fast the link is (FirstFlight), before there is
/// data. The second one is in the middle of the others, so that it is on another host than the first if there are two.
void SizeFinder::ask_at_once() {
  std::vector<Rank> far;
  std::ranges::copy_if(state_.peers.others(), std::back_inserter(far),
                       [&](Rank rank) { return !state_.peers[rank].near; });
  if (far.empty()) return;
  const std::size_t trains = std::min(far.size(), FirstFlight::most_trains);
  for (std::uint64_t i = 0; i < FirstFlight::train_datagrams; ++i) {
    for (std::size_t train = 0; train < trains; ++train) {
      const Rank peer = far[train * far.size() / trains];
      const std::size_t bytes =
          std::min(FirstFlight::train_datagram_bytes(trains), state_.peers[peer].path.sizes.in_use());
      urgent_.push_back({.peer = peer, .bytes = bytes});
    }
  }
}

void SizeFinder::leg_begun(Instant now) {
  if (!state_.rules.cuts_anew) return;
  forget_unanswered(now);
  give_up_or_try_with_a_shorter_one();
  const auto longest = static_cast<std::size_t>(sent_within(QuestionWindow::longest_sending, state_));
  PeerQuestions questions;
  const bool many = state_.legs.destinations().size() > most_asked_of_short;
  for (const Rank rank : state_.legs.destinations()) {
    Peer& to = state_.peers[rank];
    early_.leg_begun(rank);
    const bool waits = std::ranges::any_of(idle_, [&](const Job& job) { return job.peer == rank; });
    if (waits || window_.asks(rank) || (many && !lacks_something_long(to))) continue;
    std::vector<std::size_t> sizes = to.path.sizes.search(now, 2 * to.path.times.probe_timeout(), longest);
    if (!sizes.empty()) questions.emplace_back(rank, std::move(sizes));
  }
  for (const auto& [rank, size] : in_order_of_use(std::move(questions), window_.size(state_.rate.rate())))
    idle_.push_back({rank, size});
}

/// What was sent before a question, and waits in the same queue, tells whether there has been time for its answer.
void SizeFinder::forget_unanswered(Instant now) {
  window_.forget([&](const QuestionWindow::Question& question) {
    const Peer& to = state_.peers[question.to];
    if (to.parting.finished || now >= question.sent_at + longest_patience) return true;
    return now >= question.sent_at + 2 * to.path.times.probe_timeout() &&
           to.echoed.packets >= question.packets_before;
  });
}

/// If a question has to wait until shorter ones have shown that the network carries it.
void SizeFinder::give_up_or_try_with_a_shorter_one() {
  if (idle_.empty()) piloted_ = false;
  if (idle_.empty() || !window_.empty()) return;
  const auto too_long = [&](const Job& job) {
    return !state_.peers[job.peer].near && !window_.ever_fits(job.bytes, state_.rate.rate());
  };
  if (!too_long(idle_.front())) return;
  if (std::exchange(piloted_, !piloted_)) {
    std::erase_if(idle_, too_long);
  } else {
    const Rank rank = idle_.front().peer;
    const std::size_t bytes = std::min(state_.peers[rank].path.sizes.in_use(), usual_longest_datagram_bytes);
    idle_.push_front({.peer = rank, .bytes = bytes, .pilot = true});
  }
}

bool SizeFinder::may_ask() const {
  if (idle_.empty()) return false;
  const Job& job = idle_.front();
  return state_.peers[job.peer].near || window_.fits(job.bytes, state_.rate.rate(), state_.rate.bytes_sent());
}

Instant SizeFinder::next_release() const {
  if (may_ask() || early_.due(true)) return Instant{};
  Instant next = never;
  for (const Job& job : urgent_) {
    if (!job.on_trial) return Instant{};
    next = std::min(next, state_.peers[job.peer].path.rate.next_release());
  }
  return next;
}

const Transmit* SizeFinder::next_urgent(std::span<std::byte> buffer, Instant now) {
  std::erase_if(urgent_, [&](const Job& job) { return state_.peers[job.peer].parting.finished; });
  const auto next = std::ranges::find_if(urgent_, [&](const Job& job) {
    return !job.on_trial || state_.peers[job.peer].path.rate.may_send(now);
  });
  if (next == urgent_.end()) return next_early(false, buffer, now);
  const Job job = *next;
  urgent_.erase(next);
  return &write_size(state_.peers[job.peer], job, buffer, now);
}

const Transmit* SizeFinder::next_idle(std::span<std::byte> buffer, Instant now) {
  if (const auto* early = next_early(true, buffer, now)) return early;
  while (may_ask()) {
    const Job job = idle_.front();
    Peer& to = state_.peers[job.peer];
    if (to.parting.finished || !(job.pilot || to.path.sizes.wants(job.bytes))) {
      idle_.pop_front();
      continue;
    }
    to.path.sizes.asked(now);
    if (!to.near) {
      std::optional<Duration> round_trip;
      if (to.path.times.measured()) round_trip = to.path.times.least();
      window_.sent({.to = to.rank,
                    .bytes = job.bytes,
                    .sent_at = now,
                    .packets_before = to.outbound.next_packet - to.outbound.questions,
                    .round_trip = round_trip});
    }
    idle_.pop_front();
    return &write_size(to, job, buffer, now);
  }
  return nullptr;
}

const Transmit* SizeFinder::next_early(bool idle, std::span<std::byte> buffer, Instant now) {
  const auto rank = early_.due(idle);
  if (!rank) return nullptr;
  early_.asked(*rank);
  return &write_size(state_.peers[*rank], {.peer = *rank, .bytes = shortest_question_bytes}, buffer, now);
}

bool SizeFinder::take(Peer& from, const SizeHeader& header, std::size_t datagram_bytes, Instant now) {
  if (is_of_first_flight(header.datagram_bytes)) state_.rate.note_first_flight(now);
  if (header.answer) {
    if (is_of_first_flight(header.datagram_bytes)) return true;
    window_.answered(from.rank, header.datagram_bytes, now);
    const bool on_trial = from.path.sizes.on_trial();
    if (from.path.sizes.answered(header.datagram_bytes) && on_trial) trial_over(from, now);
    return true;
  }
  if (header.datagram_bytes != datagram_bytes) return false;
  const auto waiting =
      std::ranges::count_if(urgent_, [&](const Job& job) { return job.answer && job.peer == from.rank; });
  if (waiting >= most_answers) return true;
  answer({.peer = from.rank,
          .bytes = datagram_bytes,
          .answer = true,
          .echo = from.inbound.echo(now),
          .at = now});
  return true;
}

/// Where a rate is low, a trial's questions take seconds, and all ranks may have some at the same time: if answers
/// waited for all of them, each would judge before it was answered.
void SizeFinder::answer(const Job& job) {
  double before = 0;
  const auto waits_for_it = [&](const Job& other) {
    if (other.on_trial) before += static_cast<double>(other.bytes);
    return before <= sent_within(longest_wait_of_answers, state_);
  };
  urgent_.insert(std::ranges::find_if_not(urgent_, waits_for_it), job);
}

const Transmit& SizeFinder::write_size(Peer& to, const Job& job, std::span<std::byte> buffer, Instant now) {
  if (job.on_trial) {
    to.path.sizes.asked_on_trial(job.bytes, to.outbound.next_packet, now);
    state_.alarm.set(to.rank, Timer::size, std::min(now + to.path.times.probe_timeout(), in_vain_at(to)));
  }
  const auto write_header = [&](WireWriter& out) {
    const Echo echo = job.answer ? held(job.echo, now - job.at) : to.inbound.echo(now);
    write(out, SizeHeader{echo, job.answer, static_cast<std::uint16_t>(job.bytes)});
  };
  if (job.answer) return writer_.write(to, DatagramKind::size, buffer, now, write_header);
  return writer_.write_question(to, DatagramKind::size, buffer, now, [&](WireWriter& out) {
    write_header(out);
    const std::size_t rest = job.bytes - out.written() - tag_bytes;
    std::ranges::fill(out.rest().first(rest), std::byte{0});
    out.skip(rest);
  });
}

}  // namespace lbsp::transport
