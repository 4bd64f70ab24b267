#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "transport/probe/client.hpp"

namespace lbsp::transport::probe {
namespace {

/// What trying sizes takes of a path that was looked at, and of one that was not.
constexpr double rate_share = 0.7;
constexpr double blind_share = 0.01;
constexpr std::uint32_t least_gap_microseconds = 4'000;
// Of the time for the pair.
constexpr int longest_part = 4;
// A measured size so near below the largest that fits tells enough of it.
constexpr double near_enough = 0.9;

/// Both directions have the same schedule.
std::vector<SizeTrial> joined(const SizeSearch& up, const SizeSearch& down) {
  std::map<std::uint32_t, std::uint32_t> counts;
  for (const SizeSearch* const search : {&up, &down})
    for (const SizeTrial& trial : search->next())
      counts[trial.bytes] = std::max(counts[trial.bytes], trial.count);
  std::vector<SizeTrial> trials;
  trials.reserve(counts.size());
  for (const auto& [bytes, count] : counts)
    trials.push_back({bytes, count});
  return trials;
}

void take(SizeSearch& search, const std::vector<SizePlan>& sizes, const std::vector<LossSummary>& seen) {
  if (search.next().empty() || seen.size() != sizes.size()) return;
  std::vector<SizeTrial> sent;
  std::vector<std::uint32_t> arrived;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sent.push_back({sizes[i].bytes, sizes[i].count});
    arrived.push_back(sizes[i].count - std::min(seen[i].lost, sizes[i].count));
  }
  search.take(sent, arrived);
}

std::optional<std::uint32_t> found_by(const SizeSearch& search) {
  return search.largest() == 0 ? std::nullopt : std::optional(search.largest());
}

}  // namespace

/// What the slower direction carries.
BytesPerSecond Client::usual_rate() const {
  return plan_.bandwidth ? bandwidths_.first_look() : plan_.most;
}

void Client::start_sizes(Instant now) {
  if (usual_rate().value <= 0) {
    return fail(
        fmt::format("gets nothing of {} bytes through: give smaller --packet-sizes, or see what is "
                    "between the hosts",
                    bandwidths_.first_look_bytes()));
  }
  sizes_end_ = now + plan_.time_limit / longest_part;
  next_sizes(now);
}

void Client::next_sizes(Instant now) {
  const auto trials = joined(largest_up_, largest_down_);
  const double rate = (plan_.bandwidth ? rate_share : blind_share) * usual_rate().value;
  std::vector<SizePlan> sizes;
  for (const SizeTrial& trial : trials) {
    const double gap = std::max<double>(least_gap_microseconds, trial.bytes / rate * 1e6);
    sizes.push_back({trial.bytes, trial.count, static_cast<std::uint32_t>(std::min(gap, 1e9))});
  }
  const auto schedule = std::make_shared<const LossSchedule>(LossSchedule::taking_turns(sizes));
  if (trials.empty() || now + schedule->length() > sizes_end_) return settle_sizes(now);
  ++step_;
  measuring_.hear_loss(step_, schedule);
  requests_.send(
      CommandType::sizes,
      [&](WireWriter& out) {
        out.put(step_);
        out.put(static_cast<std::uint8_t>(sizes.size()));
        for (const SizePlan& size : sizes)
          write(out, size);
      },
      [this, schedule](Status status, WireReader&, Instant time) {
        // Another version there: what arrives whole stays unknown.
        if (status != Status::ok) return settle_sizes(time);
        measuring_.send_sizes(step_, schedule, time);
        at(time + schedule->length() + requests_.settling(),
           [this, schedule](Instant later) { collect_sizes(schedule->sizes(), later); });
      },
      now);
}

void Client::collect_sizes(const std::vector<SizePlan>& sizes, Instant now) {
  const auto again = [this, sizes](Instant later) { collect_sizes(sizes, later); };
  if (measuring_.sending()) return at(now + requests_.settling(), again);
  const auto on_answer = [this, sizes, again](Status status, WireReader& in, Instant time) {
    if (status == Status::not_yet) return at(time + requests_.settling(), again);
    std::vector<LossSummary> up;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      up.push_back(read_loss_summary(in));
    if (status != Status::ok || !in.ok())
      return fail("answers otherwise than expected: use the same lbsp there");
    take(largest_up_, sizes, up);
    take(largest_down_, sizes, measuring_.loss_summary());
    next_sizes(time);
  };
  collect(on_answer, now);
}

void Client::settle_sizes(Instant now) {
  result_.largest_up = found_by(largest_up_);
  result_.largest_down = found_by(largest_down_);
  if (!plan_.sizes_are_fixed && result_.largest_up && result_.largest_down) {
    const std::uint32_t most = std::min(*result_.largest_up, *result_.largest_down);
    std::erase_if(plan_.sizes, [most](std::uint32_t bytes) { return bytes > most; });
    if (plan_.sizes.empty() || plan_.sizes.back() < near_enough * most) plan_.sizes.push_back(most);
  }
  for (const std::uint32_t bytes : plan_.sizes)
    result_.sizes.push_back({bytes, {}, {}, {}});
  start_loss(now);
}

}  // namespace lbsp::transport::probe
