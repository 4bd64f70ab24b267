#include "transport/rate/burst_bound.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace lbsp::transport {
namespace {

/// A bound begins where datagrams take so many times as long to arrive as to be sent, …
constexpr double much_longer = 2;
/// … and come so much more slowly than the rate is, …
constexpr double much_slower = 1.25;
/// … if so many of the last steps are as regular as this, …
constexpr std::size_t regular_steps = 12;
constexpr double regularity = 1.4;
/// … and so much is lost. Elsewhere a queue does no harm.
constexpr double least_loss_to_begin = 0.03;

/// Of a burst: shorter ones show nothing.
constexpr double least_burst = 3;  // datagrams
/// The rate is too high if the last of it meets a queue of so many datagrams, and carried if of so few.
constexpr double too_long_queue = 3;
constexpr double carried_queue = 2;
/// Delays that vary look like a queue that is no longer than so many times their change.
constexpr double of_jump = 3;
/// More than what came goes, so that a link which becomes faster shows it; ever more while nothing comes late.
constexpr double a_little_more = 1.05;
/// Less than that, where a queue is to run empty.
constexpr double less_than_queue_gets = 0.9;
constexpr double more_each_time = 0.05;
constexpr double most_at_once = 1.5;
constexpr double most_less_at_once = 0.5;
/// So much noise of delays may be left, as a part of the time in which they were sent; bursts are added up until then.
constexpr double most_noise = 0.15;
constexpr int most_bursts = 8;
/// On other paths, until they count: nothing may be sent any more on the one that was slow.
constexpr int most_of_others = 32;
constexpr double weight_of_loss = 0.1;
constexpr double highest_own_loss = 0.5;

/// Without anything sent. Links change meanwhile.
constexpr double longest_life = 10;  // seconds

}  // namespace

std::optional<BytesPerSecond> BurstBound::rate() const {
  return rate_ > 0 ? std::optional(BytesPerSecond{part_ * rate_}) : std::nullopt;
}

BurstBound::Change BurstBound::judge(const BurstMeter::Seen& seen, const Context& context) {
  if (!context.is_short || seen.step.sending > longest_life) return end() ? Change::other : Change::none;
  if (rate_ > 0) return seen.whole && follow(*seen.whole, context) ? Change::other : Change::none;
  if (seen.paused) return Change::none;
  note(seen.step, context.datagram_bytes);
  return context.loss >= least_loss_to_begin && begins(context.sending) ? Change::begun : Change::none;
}

void BurstBound::begin(BytesPerSecond carried) {
  if (rate_ == 0) rate_ = less_than_queue_gets * carried.value;
}

void BurstBound::note(const Burst& step, std::size_t datagram_bytes) {
  if (2 * step.arrived >= static_cast<double>(datagram_bytes)) steps_[seen_++ % remembered] = step;
}

bool BurstBound::begins(BytesPerSecond sending) {
  const std::size_t known = std::min(seen_, remembered);
  if (known < regular_steps) return false;
  const auto [sum, count] = alike_steps(std::span(steps_).first(known), regularity);
  if (count < regular_steps || sum.arriving < much_longer * sum.sending) return false;
  const double carried = sum.arrived / sum.arriving;
  if (much_slower * carried > sending.value) return false;
  rate_ = a_little_more * carried;
  return true;
}

/// Whether the bound changes with what a burst shows under it. Where delays vary, several are judged together.
bool BurstBound::follow(const Burst& burst, const Context& context) {
  const auto datagram = static_cast<double>(context.datagram_bytes);
  if (burst.sent < least_burst * datagram || burst.begun < changed_at_) return false;
  if (context.goes_on && is_of_other_path(burst, context)) return false;
  const double queues = bursts_.queue + burst.queue;
  bursts_.add(burst);
  bursts_.queue = queues;
  ++count_;
  const double noise = context.jump * std::sqrt(count_);
  if (noise > most_noise * bursts_.sending && count_ < most_bursts) return false;
  const double before = part_ * rate_;
  judge_together(bursts_, queues / count_, context);
  if (part_ * rate_ != before) changed_at_ = context.now;
  bursts_ = {};
  count_ = 0;
  return true;
}

/// What goes to hosts before a slow link arrives without a queue, and does not show that more is carried behind it.
bool BurstBound::is_of_other_path(const Burst& burst, const Context& context) {
  const double datagram = static_cast<double>(context.datagram_bytes) / rate_;
  if (burst.queue > std::max(too_long_queue * datagram, of_jump * context.jump)) limited_by_ = context.peer;
  const bool other = limited_by_ >= 0 && context.peer != limited_by_;
  others_ = other ? others_ + 1 : 0;
  return other && others_ <= most_of_others;
}

void BurstBound::judge_together(const Burst& bursts, double queue, const Context& context) {
  const double datagram = static_cast<double>(context.datagram_bytes) / rate_;
  const double came = bursts.arrived / bursts.sent;
  const double too_long = std::max(too_long_queue * datagram, of_jump * context.jump);
  if (queue > too_long) {
    const double stood = queue - too_long - (bursts.arriving - bursts.sending) / count_;
    const bool stands = context.goes_on && stood > 0;
    // All the time: then what comes is what the link carries, however little is sent.
    const double time = stands ? bursts.arriving : std::max(bursts.arriving, bursts.sending);
    const double carried = bursts.sent / time * std::min(1.0, came / (1 - own_loss_));
    rate_ = std::clamp(a_little_more * carried, most_less_at_once * rate_, rate_);
    part_ = stands ? 1 - stood / (2 * (stood + bursts.sending / count_)) : 1;
    carried_bursts_ = 0;
  } else if (queue < std::max(carried_queue * datagram, of_jump * context.jump)) {
    if (std::exchange(part_, 1) < 1) return;
    own_loss_ = std::min(own_loss_ + weight_of_loss * (1 - came - own_loss_), highest_own_loss);
    rate_ *= std::min(1 + more_each_time * ++carried_bursts_, most_at_once);
    if (rate_ >= context.sending.value && !context.queued) end();
  }
}

/// Whether there was one.
bool BurstBound::end() {
  const bool bounded = rate_ > 0;
  if (bounded || seen_ > 0) *this = {};
  return bounded;
}

}  // namespace lbsp::transport
