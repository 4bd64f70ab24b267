#include "tools/probe/survey.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <fmt/format.h>
#include <tuple>
#include <unistd.h>
#include <utility>

#include "tools/command_line/screen.hpp"
#include "tools/probe/compute_rates.hpp"
#include "tools/probe/report.hpp"
#include "transport/error.hpp"
#include "transport/impairment/random.hpp"
#include "transport/printable.hpp"

namespace lbsp::probe {
namespace {

// A worker that has not answered so long after its time limit does not any more.
constexpr std::chrono::seconds grace{15};
constexpr std::chrono::seconds patience_at_end{5};
constexpr std::size_t longest_progress = 100;

std::uint64_t mix(std::uint64_t seed, int first, int second) {
  const auto pair = static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(second);
  return transport::Random(transport::Random(seed).next() ^ pair).next();
}

}  // namespace

Survey::Survey(const ProbeOptions& options, SurveyPlan plan)
    : options_(options),
      run_options_(std::move(plan.run)),
      placement_(std::move(plan.placement)),
      pairs_(plan.pairs),
      queue_(std::move(plan.pairs), std::move(plan.places), options.parallel),
      key_(transport::JobKey::random()),
      profile_(std::move(plan.begun)),
      starts_(loop_),
      start_timer_(loop_),
      end_timer_(loop_) {}

void Survey::run() {
  if (pairs_.empty()) return;
  profile_.measured_at = time_now();
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    signals_.push_back(std::make_unique<uv::SignalWatch>(loop_, number, [this, number] {
      interrupted_by_ = number;
      finish();
    }));
  }
  for (int i = 0; i < static_cast<int>(placement_.hosts.size()); ++i)
    start_worker(i);
  start_timer_.start(std::chrono::duration_cast<std::chrono::milliseconds>(options_.start_timeout), [this] {
    for (int i = 0; i < static_cast<int>(workers_.size()); ++i)
      if (worker(i).port == 0) fail(i, "is not there within the --start-timeout: see that ssh reaches it");
  });
  loop_.run();
  if (progress_shown_) fmt::print(stderr, "\r\x1b[K");
  if (limited_by_sender_ > 0) print_error(note_of_limited(limited_by_sender_, limited_pairs_));
}

profile::Profile Survey::profile() const {
  profile::Profile profile = profile_;
  std::ranges::sort(profile.pairs, {}, [](const profile::PairProfile& pair) {
    return std::tuple(pair.from, pair.to, pair.packet_size);
  });
  // An earlier survey's failures stay, but for those of which there is later word.
  std::erase_if(profile.failed, [&](const profile::FailedPair& failed) {
    return std::ranges::find(pairs_, Pair(std::minmax(failed.from, failed.to))) != pairs_.end();
  });
  for (const auto& [pair, why] : queue_.failures())
    profile.failed.push_back({pair.first, pair.second, why});
  return profile;
}

bool Survey::is_needed(int index) const {
  return std::ranges::any_of(
      pairs_, [index](const Pair& pair) { return pair.first == index || pair.second == index; });
}

void Survey::start_worker(int index) {
  workers_.push_back(std::make_unique<Worker>());
  Worker& added = *workers_.back();
  added.patience = std::make_unique<uv::Timer>(loop_);
  if (!is_needed(index)) {
    added.failed = true;
    return;
  }
  added.lines = std::make_unique<launch::hosts::LineWorker>(
      loop_, starts_, run_options_, placed(index), std::vector<std::string>{"probe", "--worker"},
      launch::hosts::LineWorker::Events{
          .on_line = [this, index](const auto& line) { take_line(index, line); },
          .on_end = [this, index](const auto& why) { fail(index, why); },
          .on_gone = [this] { finish_if_done(); }});
  const Setup setup{.key = key_,
                    .bind_address = placement_.bind_address,
                    .compute = options_.compute && !profile_.hosts[static_cast<std::size_t>(index)].compute,
                    .plan = options_.plan,
                    .wan = options_.wan ? to_string(*options_.wan) : std::string{},
                    .seed = mix(options_.seed, index, 0)};
  added.lines->send(to_line(setup));
}

void Survey::take_line(int index, const std::string& line) {
  if (worker(index).failed || finishing_) return;
  try {
    if (worker(index).port != 0) return take_done(index, read_done(line));
    const Ready ready = read_ready(line);
    worker(index).port = ready.port;
    queue_.set_machine(index, ready.machine, ready.processors);
    if (ready.compute) profile_.hosts[static_cast<std::size_t>(index)].compute = ready.compute;
    if (const std::string note = note_of_slowdown(ready.slowdown); !note.empty())
      say(fmt::format("host {}: {}", placed(index).name, note));
  } catch (const Error& error) {
    return fail(index, error.what());
  }
  // What the hosts compute must not be measured beside what the network does.
  const auto starting = [](const auto& each) { return each->port == 0 && !each->failed; };
  if (std::ranges::any_of(workers_, starting)) return;
  start_timer_.stop();
  start_pairs();
}

void Survey::take_done(int index, const Done& done) {
  if (!worker(index).measuring) return;
  const Pair pair = worker(index).pair;
  release(index);
  const std::string names = fmt::format("{} - {}", placed(pair.first).name, placed(pair.second).name);
  if (done.problem.empty()) {
    queue_.measured(pair);
    keep(pair, done.result);
    if (done.result.limited_by_sender > 0) limited_pairs_.push_back(names);
    limited_by_sender_ += done.result.limited_by_sender;
    if (on_pair_) on_pair_(*this);
    for (const std::string& note : done.result.notes)
      say(fmt::format("{}: {}", names, note));
  } else {
    queue_.failed(pair, done.problem, done.out_of_time);
    say(fmt::format("{}: {}", names, done.problem));
  }
  start_pairs();
}

/// In the place of what was known of it.
void Survey::keep(const Pair& pair, const PairResult& result) {
  std::erase_if(profile_.pairs,
                [&](const auto& known) { return Pair(std::minmax(known.from, known.to)) == pair; });
  for (profile::PairProfile each : result.pairs) {
    each.from = each.from == 0 ? pair.first : pair.second;
    each.to = each.to == 0 ? pair.first : pair.second;
    profile_.pairs.push_back(each);
  }
}

void Survey::release(int index) {
  const int partner = std::exchange(worker(index).partner, -1);
  if (partner >= 0) {
    worker(partner).partner = -1;
    worker(partner).measuring = false;
    worker(partner).patience->stop();
  }
  worker(index).measuring = false;
  worker(index).patience->stop();
}

void Survey::fail(int index, const std::string& why) {
  Worker& failed = worker(index);
  if (failed.failed || finishing_) return;
  failed.failed = true;
  const std::string told = fmt::format("host {}: {}", placed(index).name, why);
  say(told);
  queue_.lose(index, told);
  // A partner that is measuring finds out by itself, and says so.
  if (failed.measuring) {
    queue_.failed(failed.pair, told);
    release(index);
  }
  failed.lines->kill();
  const auto starting = [](const auto& each) { return each->port == 0 && !each->failed; };
  if (std::ranges::none_of(workers_, starting)) start_pairs();
}

void Survey::start_pairs() {
  if (finishing_) return;
  while (const auto pair = queue_.next())
    start_pair(*pair);
  show_progress();
  if (queue_.done()) finish();
}

void Survey::start_pair(const Pair& pair) {
  Worker& client = worker(pair.first);
  client.partner = pair.second;
  client.pair = pair;
  client.measuring = true;
  worker(pair.second).partner = pair.first;
  const auto& place = placed(pair.second);
  const Order order{{place.address, worker(pair.second).port},
                    mix(options_.seed, pair.first + 1, pair.second + 1)};
  client.lines->send(to_line(order));
  const auto& plan = options_.plan;
  const auto slowest = plan.time_limit_is_fixed ? transport::Duration::zero() : plan.most_for_slow_paths;
  const auto limit = std::chrono::duration_cast<std::chrono::milliseconds>(plan.time_limit + slowest) + grace;
  client.patience->start(limit, [this, first = pair.first] { fail(first, "does not answer any more"); });
}

void Survey::finish() {
  if (std::exchange(finishing_, true)) return;
  start_timer_.stop();
  for (const auto& each : workers_)
    if (each->lines) each->lines->finish();
  end_timer_.start(patience_at_end, [this] {
    for (const auto& each : workers_)
      if (each->lines) each->lines->kill();
    end_timer_.start(patience_at_end, [this] { loop_.stop(); });
  });
  finish_if_done();
}

void Survey::finish_if_done() {
  const auto gone = [](const auto& each) { return !each->lines || each->lines->gone(); };
  if (finishing_ && std::ranges::all_of(workers_, gone)) loop_.stop();
}

void Survey::show_progress() {
  if (::isatty(STDERR_FILENO) == 0) return;
  std::string now;
  for (const auto& each : workers_) {
    if (!each->measuring) continue;
    now += fmt::format("{} - {} ", placed(each->pair.first).name, placed(each->pair.second).name);
  }
  const std::string line =
      fmt::format("{} of {} pairs left; measuring {}", queue_.left(), pairs_.size(), now);
  const std::size_t columns = std::min(command_line::screen_columns(STDERR_FILENO), longest_progress);
  fmt::print(stderr, "\r\x1b[K{}", command_line::fitted(line, columns));
  progress_shown_ = true;
}

void Survey::say(const std::string& line) {
  fmt::print(stderr, "{}lbsp: {}\n", progress_shown_ ? "\r\x1b[K" : "", line);
}

}  // namespace lbsp::probe
