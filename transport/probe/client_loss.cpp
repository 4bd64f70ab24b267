#include <algorithm>
#include <fmt/format.h>

#include "transport/probe/client.hpp"
#include "transport/quantity.hpp"

namespace lbsp::transport::probe {
namespace {

// A person waits for this; a program that wants more says how many datagrams.
constexpr Duration longest_size = std::chrono::seconds{4};
constexpr std::uint32_t fewest_for_loss = 60;
constexpr int loss_rounds = 2;
// What measuring loss takes of a path, at most.
constexpr double loss_share = 0.2;
constexpr BytesPerSecond most_for_loss = megabits_per_second(42);

}  // namespace

void Client::start_loss(Instant now) {
  const double rate =
      std::min({plan_.most.value * loss_share, most_for_loss.value, loss_share * usual_rate().value});
  std::vector<SizePlan> sizes;
  Duration length{0};
  for (const std::uint32_t bytes : plan_.sizes) {
    SizePlan size = plan_size(bytes, plan_.count, {rate});
    while (!plan_.count_is_fixed && length_of(size) > longest_size && size.count > fewest_for_loss)
      size.count = std::max(fewest_for_loss, size.count * 3 / 4);
    length += length_of(size);
    sizes.push_back(size);
  }
  const bool may_take_longer = !plan_.time_limit_is_fixed && !plan_.count_is_fixed;
  if (may_take_longer && length <= MeasurementPlan::most_for_slow_paths) end_ += length;
  if (now + length > end_) {
    out_of_time_ = true;
    return fail(
        fmt::format("would be measured for {} more: raise --time-limit, lower --count or leave out sizes",
                    format_duration(length, 3)));
  }
  const auto schedule = std::make_shared<const LossSchedule>(sizes, loss_rounds);
  ++step_;
  measuring_.hear_loss(step_, schedule);
  requests_.send(
      CommandType::loss,
      [&](WireWriter& out) {
        out.put(step_);
        out.put(static_cast<std::uint8_t>(loss_rounds));
        out.put(static_cast<std::uint8_t>(sizes.size()));
        for (const SizePlan& size : sizes)
          write(out, size);
      },
      [this, schedule](Status status, WireReader&, Instant time) {
        if (status != Status::ok)
          return fail("refuses so much traffic: give it a higher --max-rate, or here a lower one");
        measuring_.send_loss(step_, schedule, time);
        at(time + schedule->length() + requests_.settling(), [this](Instant later) { collect_loss(later); });
      },
      now);
}

void Client::collect_loss(Instant now) {
  if (measuring_.sending())
    return at(now + requests_.settling(), [this](Instant later) { collect_loss(later); });
  const auto on_answer = [this](Status status, WireReader& in, Instant time) {
    if (status == Status::not_yet)
      return at(time + requests_.settling(), [this](Instant later) { collect_loss(later); });
    const auto down = measuring_.loss_summary();
    for (std::size_t i = 0; i < result_.sizes.size(); ++i) {
      SizeResult& size = result_.sizes[i];
      size.up.loss = read_loss_summary(in);
      size.down.loss = down[i];
      size.round_trips = measuring_.round_trips()[i];
    }
    if (status != Status::ok || !in.ok())
      return fail("answers otherwise than expected: use the same lbsp there");
    loss_measured_ = true;
    if (!plan_.bandwidth) return ask_for_rates(time);
    bandwidths_.add(result_.sizes);
    next_train(time);
  };
  collect(on_answer, now);
}

}  // namespace lbsp::transport::probe
