#include "transport/core/size_finder.hpp"

#include <algorithm>
#include <array>

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

/// On a slow path longer datagrams gain little, and one would hold up all that comes after it.
constexpr Duration longest_sending = 20ms;
/// Questions of one peer that wait for their answers; a trial has fewer.
constexpr std::ptrdiff_t most_answers = 64;

}  // namespace

void SizeFinder::leg_begun(Instant now) {
  if (!state_.rules.cuts_anew) return;
  const std::chrono::duration<double> sending = longest_sending;
  const auto longest = static_cast<std::size_t>(state_.rate.rate().value * sending.count());
  for (const Rank rank : state_.legs.destinations()) {
    Peer& to = state_.peers[rank];
    for (const std::size_t bytes : to.path.sizes.search(now, 2 * to.path.times.probe_timeout(), longest))
      idle_.push_back({rank, bytes});
  }
}

bool SizeFinder::take(Peer& from, const SizeHeader& header, std::size_t datagram_bytes, Instant now) {
  if (header.answer) {
    const bool on_trial = from.path.sizes.on_trial();
    if (from.path.sizes.answered(header.datagram_bytes) && on_trial) trial_over(from, now);
    return true;
  }
  if (header.datagram_bytes != datagram_bytes) return false;
  const auto waiting =
      std::ranges::count_if(urgent_, [&](const Job& job) { return job.answer && job.peer == from.rank; });
  if (waiting < most_answers) urgent_.push_back({from.rank, datagram_bytes, true});
  return true;
}

void SizeFinder::told(Peer& from, Instant now) {
  if (!state_.rules.cuts_anew || !from.echoed.newest) return;
  NarrowPath& narrow = from.path.narrow;
  if (from.path.sizes.on_trial()) return;
  const bool witness = narrow.reported(from.echoed.newest->packet_number, from.echoed.newest->bytes);
  if (witness) doubtful_.push_back(from.rank);
  if (narrow.suspected()) {
    ask(from, from.path.sizes.begin_trial(narrow.long_bytes()));
  } else if (from.path.sizes.base_doubtful()) {
    ask(from, from.path.sizes.begin_trial(from.path.sizes.in_use()));
  } else if (witness || (narrow.doubtful() && narrow.untold())) {
    // What is sent again is long. Something short after it makes the next witness; it may be lost, like any.
    state_.alarm.bring_forward(from.rank, Timer::report, now + from.path.times.report_interval());
  }
}

void SizeFinder::lower(Peer& of, std::size_t bytes, Instant now) {
  const bool on_trial = of.path.sizes.on_trial();
  of.path.sizes.lower(bytes, now);
  if (on_trial && !of.path.sizes.on_trial()) trial_over(of, now);
}

void SizeFinder::judge(Peer& of, Instant now) {
  PathSizes& sizes = of.path.sizes;
  if (!sizes.on_trial()) return;
  switch (sizes.judge(now)) {
    case PathSizes::Verdict::not_proved:
      return ask(of, sizes.further_questions());
    case PathSizes::Verdict::narrow:
      state_.cut_anew(of);
      [[fallthrough]];
    case PathSizes::Verdict::nothing_arrives:
      return trial_over(of, now);
  }
}

void SizeFinder::ask(Peer& of, const std::vector<std::size_t>& sizes) {
  for (const std::size_t bytes : sizes)
    urgent_.push_back({of.rank, bytes, false, true});
}

void SizeFinder::trial_over(Peer& of, Instant now) {
  of.path.sizes.end_trial();
  of.path.narrow = {};
  state_.alarm.clear(of.rank, Timer::size);
  std::erase_if(urgent_, [&](const Job& job) { return job.on_trial && job.peer == of.rank; });
  state_.release_held_back(of);
  recovery_.answer_awaited(of, now);
}

const Transmit* SizeFinder::next(std::deque<Job>& jobs, std::span<std::byte> buffer, Instant now) {
  while (!jobs.empty()) {
    const Job job = jobs.front();
    jobs.pop_front();
    Peer& to = state_.peers[job.peer];
    if (to.parting.finished) continue;
    return &write_size(to, job, buffer, now);
  }
  return nullptr;
}

const Transmit& SizeFinder::write_size(Peer& to, const Job& job, std::span<std::byte> buffer, Instant now) {
  if (job.on_trial) state_.alarm.set(to.rank, Timer::size, now + to.path.times.probe_timeout());
  const auto write_header = [&](WireWriter& out) {
    write(out, SizeHeader{to.inbound.echo(now), job.answer, static_cast<std::uint16_t>(job.bytes)});
  };
  if (job.answer) return writer_.write(to, DatagramKind::size, buffer, now, write_header);
  return writer_.write_question(to, buffer, now, [&](WireWriter& out) {
    write_header(out);
    const std::size_t rest = job.bytes - out.written() - tag_bytes;
    std::ranges::fill(out.rest().first(rest), std::byte{0});
    out.skip(rest);
  });
}

}  // namespace lbsp::transport
