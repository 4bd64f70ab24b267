#include "transport/peers/calling.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "transport/protocol_times.hpp"

namespace lbsp::transport {
namespace {

using namespace std::chrono_literals;

constexpr Duration least_interval = 1ms;
/// Calls in the time for which nothing has been known to arrive, by when that has become e times as long. While nothing
/// comes from the peer, either, all may be in vain: as many as are lost in two usual runs, within these.
constexpr double most_calls = 192;
constexpr double runs_to_call_in_silence = 2;
constexpr double least_calls_in_silence = 16;
/// Nothing has arrived yet: the link may be so slow that the first datagrams still wait before it.
constexpr double first_calls = 8;
/// If an answer has come that brought nothing, the next ones are waited for twice as long, and so on.
constexpr std::uint32_t doublings_in_vain = 5;
/// Of a report's usual length a bound of the path's rate leaves room for so many others.
constexpr double bytes_for_call = 800;

bool needs_answer(const Peer& from) {
  return from.outbound.probes > 0 || !std::ranges::all_of(from.inbound.messages, &IncomingMessage::complete);
}

/// How many are lost in a row, over what independent losses would make it.
double usual_run(const LossReport& path) {
  return std::max(1.0,
                  (1 - from_fraction(path.loss)) / std::max(1 - from_fraction(path.loss_after_loss), 1e-3));
}

Duration part_of(Duration time, double parts) {
  return std::chrono::duration_cast<Duration>(time / parts);
}

/// `round`: that of reports; `late`: this rank acts, and so it is with the peer; `told`: the rate was. `never` if the
/// peer seems to hear.
Instant call_at(const Peer& to, Duration round, Duration late, bool told) {
  const bool arrives = to.echoed.packets > 0;
  const bool speaks = told && to.inbound.numbers.next() > 0;
  const bool unanswered = to.outbound.next_packet > to.echoed.packets && (arrives || speaks);
  if (!unanswered || to.path.in_rounds || !needs_answer(to)) return never;
  const PathEstimate& times = to.path.times;
  const Instant since = to.outbound.unanswered_since;
  const Instant last = to.outbound.last_small;
  const double run = usual_run(to.path.loss);
  Duration interval = std::max({least_interval, round, late, part_of(times.report_interval(), run)});
  if (const auto rate = to.path.rate.rate()) interval = std::max(interval, rate->time_for(bytes_for_call));
  const double in_silence = std::clamp(runs_to_call_in_silence * run, least_calls_in_silence, most_calls);
  const Duration silence = last - std::max(since, to.inbound.last_heard);
  interval = std::max(
      {interval, part_of(last - since, arrives ? most_calls : first_calls), part_of(silence, in_silence)});
  const Duration patience = times.probe_timeout() + round + late + protocol::longest_report_interval;
  return std::max(since + patience * (1 << std::min(to.report.calls_in_vain, doublings_in_vain)),
                  last + interval);
}

}  // namespace

Instant keepalive_at(const EndpointState& state, const Peer& to) {
  // As it was when the last one went out: the time must be the same whenever it is asked for, and not come nearer.
  const Duration late = state.lateness.of(to.outbound.last_small);
  const Instant call = call_at(to, state.reports.round(), late, !state.config.options.find_rate);
  return std::min(call, to.keepalive_at(state.config.options.peer_timeout, state.unanswered));
}

void take_answer(Peer& from, Instant now) {
  const Duration late = now - std::exchange(from.outbound.unanswered_since, now);
  if (late > protocol::longest_report_interval && needs_answer(from)) ++from.report.calls_in_vain;
}

}  // namespace lbsp::transport
