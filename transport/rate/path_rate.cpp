#include "transport/rate/path_rate.hpp"

#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <optional>
#include <utility>

namespace lbsp::transport {
namespace {

/// Of what a rank sends: who sends so much to one peer sends nearly all to it.
constexpr double nearly_all = 0.9;
/// Of a queue: a bound begins where so much of it is of this path alone.
constexpr double mostly = 0.5;
/// A peer that has said nothing for so long does not know its downlink any more.
constexpr Duration life_of_grant = std::chrono::seconds{10};

std::optional<BytesPerSecond> least_of(std::initializer_list<std::optional<BytesPerSecond>> rates) {
  std::optional<BytesPerSecond> least;
  for (const auto& rate : rates)
    if (rate) least = std::min(*rate, least.value_or(*rate));
  return least;
}

}  // namespace

PathRate PathRate::begun_anew(Instant now) const {
  PathRate next = *this;
  next.last_ = {};
  next.round_ = {};
  next.last_data_at_ = {};
  next.delivery_ = {};
  next.burst_ = {};
  next.spill_ = {};
  next.held_.reset();
  next.granted_.reset();
  next.use_rate(now);
  return next;
}

QueueSample PathRate::echoed(Rank peer, const TrainMark& mark, BytesPerSecond rate, Duration round_trip) {
  const TrainMark before = std::exchange(last_, mark);
  const Duration sending = rate.time_for(static_cast<double>(mark.bytes_to_all - before.bytes_to_all));
  const Duration queue = gauge_.add(mark.sent_at, mark.arrived_at, sending);
  QueueSample sample{.peer = peer,
                     .since = before.sent_at,
                     .sent_at = mark.sent_at,
                     .queue = queue,
                     .mistaken = gauge_.mistaken(),
                     .jump = gauge_.usual_jump(),
                     .variation = gauge_.variation(),
                     .datagrams = mark.packets - before.packets,
                     .arrived = mark.arrived - before.arrived,
                     .bytes = mark.bytes - before.bytes,
                     .data = mark.data,
                     .bytes_so_far = mark.bytes_to_all,
                     .allowed = rate};
  longer_.note(sample, round_trip);
  sample.queue = std::max(Duration{0}, sample.queue - longer_.longer());
  return sample;
}

void PathRate::begin_from(const TrainMark& mark) {
  last_ = mark;
  round_ = {};
  last_data_at_ = {};
  if (!delivery_.bounds()) delivery_ = {};
  if (!spills()) spill_ = {};
}

void PathRate::judge(const QueueSample& sample, const CommonQueue& others, const QueueBound::Context& context,
                     Instant now) {
  datagram_bytes_ = context.datagram_bytes;
  // What this rank had put into the queue has left it in the meantime.
  const Instant before = sample.data ? std::exchange(last_data_at_, sample.sent_at) : sample.sent_at;
  const Duration gap = sample.sent_at - before;
  if (gap > bound_.pause(context.round_trip) && !sample.goes_on(sample.bytes, gap))
    round_.begin(sample.sent_at);
  auto seen = round_.add(sample, context.round_trip, now);
  if (!seen) return;
  QueueBound::Context own = context;
  if (take_own_part(*seen, sample.peer, others, own) && bound_.judge(*seen, own)) use_rate(now);
}

/// Leaves of the round what is of this path alone. False: that is not known.
bool PathRate::take_own_part(QueueSeen& seen, Rank peer, const CommonQueue& others,
                             QueueBound::Context& context) {
  const double to_all = seen.rate * seen.sending;
  if (seen.rate > 0) seen.busy_rate *= seen.bytes / to_all;
  seen.rate = seen.bytes / seen.sending;
  if (to_all > 0) seen.sent_since *= std::min(1.0, seen.bytes / to_all);
  const auto before = others.beside(peer, seen.earlier_at);
  const auto common = others.beside(peer, seen.later_at);
  if (!before || !common) return context.alone && seen.bytes >= nearly_all * to_all;
  const double own = seen.queue - seconds(*common);
  context.may_begin = context.may_begin && own > mostly * seen.queue;
  seen.growth -= seconds(*common - *before) / seen.between;
  seen.sure_growth = seen.growth;
  seen.queue = std::max(0.0, own);
  return true;
}

void PathRate::sent(std::size_t bytes, BytesPerSecond most, Instant now) {
  const bool outlived = granted_ && now - granted_at_ > life_of_grant;
  if (outlived) granted_.reset();
  if (bound_.sent(bytes, most, now) || outlived) use_rate(now);
  if (pacer_) pacer_->sent(bytes);
}

void PathRate::tell(BytesPerSecond rate, std::size_t datagram_bytes, Instant now) {
  told_ = rate;
  datagram_bytes_ = datagram_bytes;
  use_rate(now);
}

void PathRate::hold(std::optional<BytesPerSecond> rate, std::size_t datagram_bytes, Instant now) {
  held_ = rate;
  datagram_bytes_ = datagram_bytes;
  use_rate(now);
}

void PathRate::grant(std::optional<BytesPerSecond> rate, std::size_t datagram_bytes, Instant now) {
  granted_at_ = now;
  if (rate == granted_) return;
  granted_ = rate;
  datagram_bytes_ = datagram_bytes;
  use_rate(now);
}

bool PathRate::judge_delivery(const TrainMark& mark, Duration queue, const DeliveryBound::Path& path,
                              Instant now) {
  if (!delivery_.echoed(mark, queue, path)) return false;
  datagram_bytes_ = path.datagram_bytes;
  use_rate(now);
  return true;
}

bool PathRate::judge_spill(const TrainMark& mark, const SpillBound::Path& path, Instant now) {
  if (!spill_.echoed(mark, path)) return false;
  datagram_bytes_ = path.datagram_bytes;
  use_rate(now);
  return true;
}

void PathRate::end_spill(Instant now) {
  spill_ = {};
  use_rate(now);
}

BurstBound::Change PathRate::judge_burst(const BurstMeter::Seen& seen, const BurstBound::Context& context,
                                         Instant now) {
  const BurstBound::Change change = burst_.judge(seen, context);
  if (change == BurstBound::Change::none) return change;
  datagram_bytes_ = context.datagram_bytes;
  use_rate(now);
  return change;
}

std::optional<BytesPerSecond> PathRate::shown() const {
  return least_of(
      {told_, granted_ ? std::nullopt : bound_.rate(), delivery_.rate(), burst_.rate(), spill_.rate()});
}

std::optional<BytesPerSecond> PathRate::rate() const {
  return least_of({shown(), held_, granted_});
}

void PathRate::use_rate(Instant now) {
  if (!rate()) {
    pacer_.reset();
  } else if (pacer_) {
    pacer_->set_rate(*rate(), now);
  } else {
    const std::size_t burst = carries_little() || spills() ? 1 : protocol::least_burst_datagrams;
    const Duration longest = granted_ ? protocol::longest_burst : Duration::max();
    pacer_.emplace(*rate(), Pacer::Burst{burst * datagram_bytes_, longest}, now);
  }
}

}  // namespace lbsp::transport
