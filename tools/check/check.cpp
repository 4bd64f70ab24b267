#include "tools/check/check.hpp"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

#include "tools/check/knock_sizes.hpp"
#include "transport/error.hpp"

namespace lbsp::check {
namespace {

using std::chrono::milliseconds;
using Seconds = std::chrono::duration<double>;

/// The one with the shortest way there and back tells the clock best.
constexpr int times_to_ask = 5;
/// For knocks of hosts that are slower, and for answers on their way.
constexpr milliseconds linger{700};
/// How long those that are to end may take until they are killed: as things go, and after a signal.
constexpr milliseconds patience_of_workers{5000};
constexpr milliseconds patience_of_a_user{500};
constexpr milliseconds patience_with_a_stage{15'000};
/// 4 Mbit/s for all sizes of ten rounds of knocks at a host.
constexpr milliseconds patience_per_host{300};

}  // namespace

Check::Check(const launch::request::RunOptions& options, launch::places::Placement placement)
    : options_(options),
      placement_(std::move(placement)),
      key_(transport::JobKey::random()),
      starts_(loop_),
      timer_(loop_) {
  for (const auto& host : placement_.hosts)
    seen_.hosts.push_back({.name = host.name});
  seen_.program = options_.program;
  if (!options_.launch_agent.empty()) seen_.way = fmt::format("{}", fmt::join(options_.launch_agent, " "));
}

Seen Check::run() {
  if (placement_.hosts.empty()) return std::move(seen_);
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    signals_.push_back(std::make_unique<uv::SignalWatch>(loop_, number, [this, number] {
      seen_.interrupted_by = number;
      end(patience_of_a_user);
    }));
  workers_.resize(placement_.hosts.size());
  for (int i = 0; i < size(); ++i)
    start(i);
  timer_.start(std::chrono::duration_cast<milliseconds>(options_.start_timeout),
               [this] { give_up_on_the_silent(); });
  loop_.run();
  return std::move(seen_);
}

void Check::start(int index) {
  const auto& place = placement_.hosts[static_cast<std::size_t>(index)];
  Worker& added = worker(index);
  added.awaited = true;
  added.lines = std::make_unique<launch::hosts::LineWorker>(
      loop_, starts_, options_, place, std::vector<std::string>{"hosts", "check", "--worker"},
      launch::hosts::LineWorker::Events{
          .on_line = [this, index](const std::string& line) { take_line(index, line); },
          .on_end = [this, index](const std::string& why) { lose(index, why); },
          .on_gone =
              [this] {
                const auto gone = [](const Worker& each) { return each.lines->gone(); };
                if (stage_ == Stage::ending && std::ranges::all_of(workers_, gone)) loop_.stop();
              }});
  const Setup setup{.key = key_,
                    .bind_address = placement_.bind_address,
                    .port = options_.port == 0 ? std::uint16_t{0} : placement_.port_of(place, options_.port),
                    .program = options_.program,
                    .own = index,
                    .hosts = size()};
  added.lines->send(to_line(setup));
}

void Check::take_line(int index, const std::string& line) {
  if (stage_ == Stage::ending || !seen(index).silence.empty()) return;
  try {
    if (!worker(index).ready) return take(index, read_ready(line));
    const Answer answer = read_answer(line);
    if (const auto* const time = std::get_if<Time>(&answer)) return take(index, *time);
    if (const auto* const heard = std::get_if<AllHeard>(&answer)) take(index, *heard);
    worker(index).awaited = false;
  } catch (const Error& error) {
    lose(index, error.what());
  }
  go_on_if_all_have_answered();
}

void Check::take(int index, const Ready& ready) {
  worker(index).ready = true;
  HostSeen& host = seen(index);
  host.port = ready.port;
  host.port_problem = ready.port_problem;
  host.buffer_bytes = ready.buffer_bytes;
  host.program_problem = ready.program_problem;
  ask_time(index);
}

void Check::ask_time(int index) {
  Worker& asked = worker(index);
  ++asked.times;
  asked.lines->send(to_line(Order(TellTime{})));
  asked.asked = Clock::now();
  asked.asked_at = std::chrono::system_clock::now();
}

void Check::take(int index, const Time& time) {
  const Worker& asked = worker(index);
  const Seconds way = Clock::now() - asked.asked;
  HostSeen& host = seen(index);
  if (!host.clock_ahead_s || way.count() / 2 < host.clock_error_s) {
    const Seconds there = std::chrono::nanoseconds(time.nanoseconds) - asked.asked_at.time_since_epoch();
    host.clock_ahead_s = there.count() - way.count() / 2;
    host.clock_error_s = way.count() / 2;
  }
  if (asked.times < times_to_ask) return ask_time(index);
  worker(index).awaited = false;
  go_on_if_all_have_answered();
}

void Check::take(int index, const AllHeard& heard) {
  for (const Heard& each : heard) {
    if (each.host < 0 || each.host >= size()) throw Error("it has heard a host that there is not");
    const auto pair = [&](int from, int to) -> PairSeen& {
      const auto found = std::ranges::find_if(
          seen_.pairs, [&](const PairSeen& known) { return known.from == from && known.to == to; });
      const std::string& address = placement_.hosts[static_cast<std::size_t>(to)].address;
      return found != seen_.pairs.end()
                 ? *found
                 : seen_.pairs.emplace_back(PairSeen{.from = from, .to = to, .full = full_knock_to(address)});
    };
    if (!each.arrived.empty()) pair(each.host, index).largest = each.arrived.back();
    pair(index, each.host).answered = !each.answered.empty();
    pair(index, each.host).refused = each.refused;
    pair(each.host, index);
  }
}

void Check::lose(int index, const std::string& why) {
  if (stage_ == Stage::ending || !seen(index).silence.empty()) return;
  seen(index).silence = why;
  worker(index).awaited = false;
  worker(index).lines->kill();
  go_on_if_all_have_answered();
}

void Check::go_on_if_all_have_answered() {
  if (std::ranges::any_of(workers_, &Worker::awaited)) return;
  if (stage_ == Stage::starting)
    begin(Stage::knocking);
  else if (stage_ == Stage::knocking)
    begin(Stage::lingering);
  else if (stage_ == Stage::hearing)
    end(patience_of_workers);
}

void Check::begin(Stage stage) {
  stage_ = stage;
  milliseconds limit = patience_with_a_stage;
  if (stage == Stage::knocking) {
    order_all(addresses());
    limit += size() * patience_per_host;
  } else if (stage == Stage::hearing) {
    order_all(TellHeard{});
  }
  if (stage == Stage::lingering)
    timer_.start(linger, [this] { begin(Stage::hearing); });
  else
    timer_.start(limit, [this] { give_up_on_the_silent(); });
  if (stage != Stage::lingering) go_on_if_all_have_answered();
}

void Check::give_up_on_the_silent() {
  const char* const why =
      stage_ == Stage::starting ? "is not there within the --start-timeout" : "does not answer any more";
  std::vector<int> silent;
  for (int i = 0; i < size(); ++i)
    if (worker(i).awaited) silent.push_back(i);
  for (const int each : silent)
    lose(each, why);
}

void Check::order_all(const Order& order) {
  for (int i = 0; i < size(); ++i) {
    if (!seen(i).silence.empty()) continue;
    worker(i).awaited = true;
    worker(i).lines->send(to_line(order));
  }
}

KnockAt Check::addresses() const {
  KnockAt all;
  for (std::size_t i = 0; i < placement_.hosts.size(); ++i) {
    const bool there = seen_.hosts[i].silence.empty() && seen_.hosts[i].port != 0;
    all.hosts.push_back({there ? placement_.hosts[i].address : std::string(), seen_.hosts[i].port});
  }
  return all;
}

void Check::end(milliseconds patience) {
  if (std::exchange(stage_, Stage::ending) == Stage::ending) return;
  for (const Worker& each : workers_)
    each.lines->finish();
  timer_.start(patience, [this] {
    for (const Worker& each : workers_)
      each.lines->kill();
    timer_.start(milliseconds{2000}, [this] { loop_.stop(); });
  });
  const auto gone = [](const Worker& each) { return each.lines->gone(); };
  if (std::ranges::all_of(workers_, gone)) loop_.stop();
}

}  // namespace lbsp::check
