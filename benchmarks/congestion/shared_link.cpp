#include "benchmarks/congestion/shared_link.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "lbsp/plan/model_planner.hpp"

namespace lbsp::bench {

using namespace transport;

namespace {

constexpr Instant beginning{std::chrono::seconds{1}};
constexpr double products_in_a_message = 50;
constexpr double rate_to_begin_with = 100;  // Mbit/s, as `lbsp run` has it
constexpr double least_message = 64 << 10;
constexpr double least_queue = 3000;

Duration duration(double seconds) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
}

double arrived_bytes(const RunningJob& job) {
  const TrafficCounters sent = job.network().endpoint(0).counters();
  const TrafficCounters received = job.network().endpoint(1).counters();
  if (sent.datagrams_sent == 0) return 0;
  return static_cast<double>(received.datagrams_received) * static_cast<double>(sent.wire_bytes_sent) /
         static_cast<double>(sent.datagrams_sent);
}

double at_rank(std::vector<double>& values, double fraction) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(fraction * static_cast<double>(values.size() - 1))];
}

}  // namespace

SharedLink::SharedLink(const LinkSpec& spec) : spec_(spec) {
  BottleneckSpec bottleneck{megabits_per_second(spec.megabits)};
  bottleneck.queue_bytes = static_cast<std::uint64_t>(std::max(spec.queue * product_bytes(), least_queue));
  bottleneck.polices = spec.polices;
  bottleneck.exact = false;
  for (const LinkSpec::Change& change : spec.changes)
    bottleneck.changes.push_back({at(change.at_seconds), megabits_per_second(change.megabits)});
  link_ = std::make_shared<Bottleneck>(bottleneck);
}

Instant SharedLink::at(double seconds) const {
  return beginning + duration(seconds);
}

/// By a part of a round trip that is another one for each sender and each seed.
double SharedLink::later(double seconds) const {
  constexpr double golden = 0.618034;
  const double turns = golden * static_cast<double>((spec_.seed - 1) * (senders_.size() + 1));
  return seconds + (turns - std::floor(turns)) * round_trip_seconds();
}

void SharedLink::add_job(double at_seconds, double told_megabits) {
  SimulationConfig config;
  config.size = 2;
  config.seed = 100 * (spec_.seed - 1) + senders_.size() + 1;
  config.wan.loss = spec_.loss;
  config.wan.round_trip_time = duration(round_trip_seconds());
  config.options.find_rate = told_megabits == 0;
  config.options.rate = megabits_per_second(told_megabits > 0 ? told_megabits : rate_to_begin_with);
  config.planner = [](Rank) {
    return std::make_unique<plan::ModelPlanner>(ExchangeOptions{.redundancy = Redundancy::automatic});
  };
  config.beginning = at(later(at_seconds));
  config.topology.hosts = {{1, link_, nullptr}, {1, nullptr, nullptr}};
  senders_.push_back({.begin = config.beginning, .waits = std::move(config)});
}

/// A job sends as soon as it is there.
void SharedLink::start(Sender& sender) {
  const SimulationConfig config = *std::exchange(sender.waits, std::nullopt);
  const auto bytes =
      static_cast<std::size_t>(std::max(products_in_a_message * product_bytes(), least_message));
  const auto to_the_other = [bytes](Rank from, Rank) { return from == 0 ? bytes : std::size_t{0}; };
  sender.job = std::make_unique<RunningJob>(config, to_the_other);
  time_.add(*sender.job);
}

void SharedLink::run_to(Instant bound) {
  const auto nothing = [] { return false; };
  for (;;) {
    Sender* next = nullptr;
    for (Sender& sender : senders_) {
      if (sender.waits && sender.begin <= bound && (!next || sender.begin < next->begin)) next = &sender;
    }
    if (!next) break;
    time_.run_until(nothing, next->begin);
    start(*next);
  }
  time_.run_until(nothing, bound);
}

void SharedLink::add_flow(CongestionControl control, double at_seconds, std::uint64_t segments) {
  TcpFlow::Config config{
      .control = control, .round_trip = duration(round_trip_seconds()), .start = at(later(at_seconds))};
  if (segments > 0) config.segments = segments;
  Sender& sender = senders_.emplace_back();
  sender.begin = config.start;
  sender.flow = std::make_unique<TcpFlow>(config, link_);
  time_.add(*sender.flow);
}

double SharedLink::arrived_bytes(const Sender& sender) {
  if (sender.flow) return static_cast<double>(sender.flow->delivered_bytes());
  return sender.job ? bench::arrived_bytes(*sender.job) : 0;
}

std::vector<double> SharedLink::arrived_bytes() const {
  std::vector<double> bytes;
  for (const Sender& sender : senders_)
    bytes.push_back(arrived_bytes(sender));
  return bytes;
}

void SharedLink::note_wire() {
  if (!senders_.front().job) return;
  const SimulatedNetwork& network = senders_.front().job->network();
  const auto payload = static_cast<double>(network.endpoint(1).counters().payload_bytes_received);
  if (payload == payload_bytes_) return;
  payload_bytes_ = payload;
  wire_bytes_ = static_cast<double>(network.endpoint(0).counters().wire_bytes_sent);
}

Passage SharedLink::run(double seconds) {
  const auto before = arrived_bytes();
  const std::uint64_t carried = link_->carried_bytes();
  const std::uint64_t datagrams = link_->datagrams();
  const std::uint64_t drops = link_->drops();

  constexpr int samples_in_a_round_trip = 8;
  std::vector<double> delays;
  double most_bytes = 0;
  const double until = now_seconds_ + seconds;
  while (now_seconds_ < until) {
    const double step = std::min(round_trip_seconds() / samples_in_a_round_trip, until - now_seconds_);
    now_seconds_ += std::max(step, 1e-9);
    run_to(at(now_seconds_));
    note_wire();
    delays.push_back(std::chrono::duration<double, std::milli>(link_->waiting(at(now_seconds_))).count());
    most_bytes += link_->rate(at(now_seconds_)).value * step;
  }

  Passage passage;
  const auto after = arrived_bytes();
  for (std::size_t i = 0; i < after.size(); ++i)
    passage.megabits.push_back((after[i] - (i < before.size() ? before[i] : 0)) * 8e-6 / seconds);
  passage.used = static_cast<double>(link_->carried_bytes() - carried) / most_bytes;
  const auto dropped = static_cast<double>(link_->drops() - drops);
  const auto came = static_cast<double>(link_->datagrams() - datagrams) + dropped;
  passage.drops = came > 0 ? dropped / came : 0;
  passage.delay_ms = at_rank(delays, 0.95);
  passage.wire_per_payload = payload_bytes_ > 0 ? wire_bytes_ / payload_bytes_ : 0;
  return passage;
}

std::vector<double> SharedLink::finished_seconds() const {
  std::vector<double> seconds;
  for (const Sender& sender : senders_) {
    if (sender.flow && sender.flow->finished())
      seconds.push_back(std::chrono::duration<double>(*sender.flow->finished() - sender.begin).count());
  }
  return seconds;
}

}  // namespace lbsp::bench
