#include "transport/probe/client.hpp"

namespace lbsp::transport::probe {

void Client::next_train(Instant now) {
  const auto plan = bandwidths_.next();
  if (!plan) return loss_measured_ ? ask_for_rates(now) : start_sizes(now);
  const bool down = bandwidths_.down();
  ++step_;
  if (down) measuring_.hear_train(step_, *plan);
  requests_.send(
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
        at(time + plan.length() + requests_.settling(),
           [this, plan](Instant later) { collect_train(plan, later); });
      },
      now);
}

void Client::collect_train(const TrainPlan& plan, Instant now) {
  const bool down = bandwidths_.down();
  if (!down && measuring_.sending()) {
    return at(now + requests_.settling(), [this, plan](Instant later) { collect_train(plan, later); });
  }
  const auto on_answer = [this, down, plan](Status status, WireReader& in, Instant time) {
    if (status == Status::not_yet)
      return at(time + requests_.settling(), [this, plan](Instant later) { collect_train(plan, later); });
    const TrainSent sent = down ? read_train_sent(in) : measuring_.train_sent();
    const TrainSeen seen = down ? measuring_.train_seen().value_or(TrainSeen{}) : read_train_seen(in);
    if (status != Status::ok || !in.ok())
      return fail("answers otherwise than expected: use the same lbsp there");
    bandwidths_.take(sent, seen);
    next_train(time);
  };
  collect(on_answer, now);
}

}  // namespace lbsp::transport::probe
