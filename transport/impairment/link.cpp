#include "transport/impairment/link.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::transport {
namespace {

// A rate of a bit per hour must not overflow the clock.
constexpr Duration for_ever{3'000'000'000'000'000'000};

}  // namespace

std::uint64_t path_seed(std::uint64_t seed, Rank from, Rank to) {
  const std::uint64_t pair = (static_cast<std::uint64_t>(from) << 32) | static_cast<std::uint32_t>(to);
  return Random(Random(seed).next() ^ pair).next();
}

ImpairmentCounters& ImpairmentCounters::operator+=(const ImpairmentCounters& other) {
  offered += other.offered;
  queue_drops += other.queue_drops;
  too_long += other.too_long;
  lost += other.lost;
  reordered += other.reordered;
  duplicated += other.duplicated;
  corrupted += other.corrupted;
  marked += other.marked;
  return *this;
}

std::optional<Instant> Uplink::send(Instant now, std::size_t bytes) {
  Ecn ecn = Ecn::none;
  return send(now, bytes, ecn);
}

std::optional<Instant> Uplink::send(Instant now, std::size_t bytes, Ecn& ecn) {
  if (!rate_) return now;
  if (free_at_ <= now) {
    free_at_ = now;
    remainder_ = 0;
  }
  const double waiting = waiting_bytes(now);
  if (waiting > queue_bytes_) return std::nullopt;
  if (mark_bytes_ && ecn == Ecn::capable && waiting > static_cast<double>(*mark_bytes_)) ecn = Ecn::marked;
  occupy(now, static_cast<double>(bytes));
  return free_at_;
}

double Uplink::waiting_bytes(Instant now) const {
  if (!rate_ || free_at_ <= now) return 0;
  return std::chrono::duration<double>(free_at_ - now).count() * rate_->value;
}

/// For as long as these bytes take to leave, once all before them have left.
void Uplink::occupy(Instant now, double bytes) {
  const double exact = bytes / rate_->value * 1e9 + remainder_;
  const double whole = std::floor(exact);
  remainder_ = exact - whole;
  const Duration taken{static_cast<Duration::rep>(std::min(whole, static_cast<double>(for_ever.count())))};
  free_at_ = std::min(free_at_ + taken, now + for_ever);
}

void Uplink::become(const Uplink& other, Instant now) {
  const double waiting = waiting_bytes(now);
  rate_ = other.rate_;
  queue_bytes_ = other.queue_bytes_;
  mark_bytes_ = other.mark_bytes_;
  free_at_ = now;
  remainder_ = 0;
  if (rate_) occupy(now, waiting);
}

bool Path::lost(const WanSpec& spec) {
  if (spec.loss <= 0) return false;
  if (spec.loss >= 1) return true;
  // Two-state chain: leaves the bad state with `recovery`, enters it so that a fraction `loss` is spent in
  // it.
  const double recovery = std::min(1 / spec.burst, 1 - spec.loss);
  const double failure = recovery * spec.loss / (1 - spec.loss);
  const double bad_next = !started_ ? spec.loss : (bad_ ? 1 - recovery : failure);
  started_ = true;
  bad_ = random_.unit() < bad_next;
  return bad_;
}

Passage Path::pass(const WanSpec& spec, Instant departure, ImpairmentCounters& counters) {
  auto delay = spec.round_trip_time / 2;
  if (spec.jitter > Duration::zero()) {
    const double part = (2 * random_.unit() - 1) * static_cast<double>(spec.jitter.count());
    delay = std::max(delay + Duration{static_cast<Duration::rep>(part)}, Duration::zero());
  }
  Passage passage{std::max(departure + delay, last_arrival_), 0};
  if (random_.happens(spec.reorder)) {
    const Duration longest = std::max<Duration>(spec.round_trip_time / 2, std::chrono::milliseconds{1});
    passage.time +=
        Duration{1 + static_cast<Duration::rep>(random_.unit() * static_cast<double>(longest.count()))};
    ++counters.reordered;
  } else if (random_.happens(spec.overtake)) {
    passage.time = departure;
    ++counters.reordered;
  } else {
    last_arrival_ = passage.time;
  }
  if (random_.happens(spec.corrupt)) {
    passage.corruption = random_.next() | 1;
    ++counters.corrupted;
  }
  return passage;
}

Passages Path::send(const WanSpec& spec, Instant departure, ImpairmentCounters& counters) {
  Passages passages;
  if (lost(spec)) {
    ++counters.lost;
    return passages;
  }
  passages.add(pass(spec, departure, counters));
  if (random_.happens(spec.duplicate)) {
    passages.add(pass(spec, departure, counters));
    ++counters.duplicated;
  }
  return passages;
}

ImpairedLink::ImpairedLink(const WanSpec& spec, std::uint64_t seed, Rank from, Rank size)
    : spec_(spec), uplink_(spec) {
  paths_.reserve(static_cast<std::size_t>(size));
  for (Rank to = 0; to < size; ++to)
    paths_.emplace_back(path_seed(seed, from, to));
}

Passages ImpairedLink::send(Instant now, Rank to, std::size_t bytes) {
  Ecn ecn = Ecn::none;
  return send(now, to, bytes, ecn);
}

Passages ImpairedLink::send(Instant now, Rank to, std::size_t bytes, Ecn& ecn) {
  ++counters_.offered;
  const bool was_marked = ecn == Ecn::marked;
  const auto departure = uplink_.send(now, bytes, ecn);
  if (!was_marked && ecn == Ecn::marked) ++counters_.marked;
  if (!departure) {
    ++counters_.queue_drops;
    return {};
  }
  if (spec_.mtu_bytes && bytes + packet_header_bytes > *spec_.mtu_bytes) {
    ++counters_.too_long;
    return {};
  }
  return paths_[static_cast<std::size_t>(to)].send(spec_, *departure, counters_);
}

void flip_bits(std::span<std::byte> datagram, std::uint64_t corruption) {
  if (datagram.empty()) return;
  Random random(corruption);
  const std::size_t count = std::min<std::size_t>(1 + random.next() % 4, datagram.size());
  const std::size_t first = random.next() % datagram.size();
  for (std::size_t i = 0; i < count; ++i) {
    datagram[(first + i) % datagram.size()] ^= std::byte{1} << static_cast<int>(random.next() % 8);
  }
}

}  // namespace lbsp::transport
