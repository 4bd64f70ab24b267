#include "transport/probe/client.hpp"

namespace lbsp::transport::probe {

using transport::BytesPerSecond;
using transport::Instant;
using transport::WireReader;
using transport::WireWriter;

namespace {

constexpr BytesPerSecond first_rate = transport::megabits_per_second(1);
constexpr double over_first_look = 1.25;

}  // namespace

DirectionResult& Client::direction(const Search& search) {
  SizeResult& size = result_.sizes[search.size];
  return search.down ? size.down : size.up;
}

void Client::next_search(Instant now) {
  if (searched_ == searches_.size()) return loss_measured_ ? ask_for_rates(now) : start_sizes(now);
  const Search& search = searches_[searched_];
  if (search.first_look) {
    search_.emplace(RateSearch::Start{first_look_bytes(), first_rate, plan_.most, std::nullopt, 1});
  } else {
    const std::uint32_t bytes = result_.sizes[search.size].bytes;
    const double rate = over_first_look * first_look_[search.down ? 1 : 0];
    search_.emplace(RateSearch::Start{bytes, {rate}, plan_.most, direction(search).loss.loss(), 2});
  }
  next_train(now);
}

void Client::next_train(Instant now) {
  const auto plan = search_->next();
  if (!plan) {
    end_search();
    return next_search(now);
  }
  const bool down = searches_[searched_].down;
  ++step_;
  if (down) measuring_.hear_train(step_, *plan);
  command(
      CommandType::train,
      [&](WireWriter& out) {
        out.put(step_);
        out.put(static_cast<std::uint8_t>(down ? 1 : 0));
        write(out, *plan);
      },
      [this, down, plan = *plan](Status status, WireReader&, Instant time) {
        if (status != Status::ok)
          return fail("refuses so much traffic: give it a higher --max-rate, or here a lower one");
        if (!down) measuring_.send_train(step_, plan, time);
        at(time + plan.length() + settling(), [this, plan](Instant later) { collect_train(plan, later); });
      },
      now);
}

void Client::collect_train(const TrainPlan& plan, Instant now) {
  const bool down = searches_[searched_].down;
  if (!down && measuring_.sending()) {
    return at(now + settling(), [this, plan](Instant later) { collect_train(plan, later); });
  }
  const auto on_answer = [this, down, plan](Status status, WireReader& in, Instant time) {
    if (status == Status::not_yet)
      return at(time + settling(), [this, plan](Instant later) { collect_train(plan, later); });
    const TrainSent sent = down ? read_train_sent(in) : measuring_.train_sent();
    const TrainSeen seen = down ? measuring_.train_seen().value_or(TrainSeen{}) : read_train_seen(in);
    if (status != Status::ok || !in.ok())
      return fail("answers otherwise than expected: use the same lbsp there");
    search_->take(sent, seen);
    next_train(time);
  };
  command_step(CommandType::collect, on_answer, now);
}

void Client::end_search() {
  const Search search = searches_[searched_++];
  if (search.first_look) {
    first_look_[search.down ? 1 : 0] = search_->bandwidth().value;
    return;
  }
  auto& result = direction(search);
  result.bandwidth = search_->bandwidth();
  result.limited_by_sender = search_->limited_by_sender();
}

}  // namespace lbsp::transport::probe
