#include "transport/simulated/scheduler.hpp"

#include "transport/error.hpp"

namespace lbsp::transport {
namespace {

// How long an aborted or failed rank's process lives on to tell the others.
constexpr Duration farewell = std::chrono::seconds{1};

}  // namespace

VirtualScheduler::VirtualScheduler(SimulatedNetwork& network, Instant time_bound)
    : network_(network), time_bound_(time_bound), running_(network.size()), alive_(network.size()) {
  for (Rank rank = 0; rank < network.size(); ++rank)
    programs_.push_back(std::make_unique<Program>());
}

std::vector<Bytes> VirtualScheduler::call(Rank rank, RankCall call) {
  std::unique_lock lock(mutex_);
  auto& caller = program(rank);
  caller.call = std::move(call);
  stops(caller, State::called);
  caller.resumed.wait(lock, [&] { return caller.state == State::running; });
  if (caller.error) std::rethrow_exception(std::exchange(caller.error, nullptr));
  return std::move(caller.messages);
}

void VirtualScheduler::abort(Rank rank, std::string_view reason) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (!program(rank).abort_reason) program(rank).abort_reason = reason;
  } catch (...) {  // no memory for the reason: the others will find this rank silent
  }
}

void VirtualScheduler::end(Rank rank) {
  const std::lock_guard lock(mutex_);
  --alive_;
  stops(program(rank), State::ended);
}

VirtualScheduler::Snapshot VirtualScheduler::snapshot(Rank rank) const {
  const std::lock_guard lock(mutex_);
  return program(rank).snapshot;
}

Instant VirtualScheduler::now() const {
  const std::lock_guard lock(mutex_);
  return network_.now();
}

void VirtualScheduler::stops(Program& stopped, State state) {
  stopped.state = state;
  if (--running_ == 0) all_stopped_.notify_one();
}

void VirtualScheduler::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    all_stopped_.wait(lock, [&] { return running_ == 0; });
    if (alive_ == 0) return;
    try {
      apply_requests();
      if (running_ == 0) resume_some();
    } catch (...) {
      give_up(std::current_exception());
    }
  }
}

void VirtualScheduler::apply_requests() {
  for (Rank rank = 0; rank < network_.size(); ++rank) {
    auto& asking = program(rank);
    if (asking.abort_reason) {
      network_.act(rank, [&](Endpoint& endpoint, Instant now) {
        if (!endpoint.failure()) endpoint.abort(*asking.abort_reason, now);
      });
      asking.abort_reason.reset();
    }
    if (asking.state == State::called) begin(rank);
    if (asking.state == State::ended) {
      const bool failed = network_.endpoint(rank).failure().has_value();
      network_.remove(rank, network_.now() + (failed ? farewell : Duration::zero()));
      asking.state = State::removed;
    }
  }
  for (Rank rank = 0; rank < network_.size(); ++rank)
    resume_if_done(rank);
}

void VirtualScheduler::begin(Rank rank) {
  auto& caller = program(rank);
  auto call = std::exchange(caller.call, std::nullopt);
  caller.state = State::waiting;
  caller.finishing = call->kind == RankCall::Kind::finish;
  if (network_.endpoint(rank).failure()) return;
  try {
    network_.act(rank, [&](Endpoint& endpoint, Instant now) {
      switch (call->kind) {
        case RankCall::Kind::exchange:
          endpoint.begin_exchange(std::move(call->outgoing), now);
          break;
        case RankCall::Kind::last_exchange:
          endpoint.begin_last_exchange(std::move(call->outgoing), now);
          break;
        case RankCall::Kind::reply:
          endpoint.begin_reply(std::move(call->outgoing), call->destinations, call->sources, now);
          break;
        case RankCall::Kind::finish:
          endpoint.begin_finish(now);
          break;
      }
    });
  } catch (...) {
    resume(rank, std::current_exception());
  }
}

bool VirtualScheduler::resume_if_done(Rank rank) {
  auto& waiting = program(rank);
  if (waiting.state != State::waiting) return false;
  const auto& endpoint = network_.endpoint(rank);
  if (endpoint.failure()) {
    try {
      throw_failure(*endpoint.failure());
    } catch (...) {
      resume(rank, std::current_exception());
    }
    return true;
  }
  if (!(waiting.finishing ? endpoint.finished() : endpoint.exchange_complete())) return false;
  if (!waiting.finishing) {
    network_.act(rank, [&](Endpoint& own, Instant) { waiting.messages = own.take_messages(); });
  }
  resume(rank, nullptr);
  return true;
}

void VirtualScheduler::resume(Rank rank, std::exception_ptr error) {
  auto& resumed = program(rank);
  const auto& endpoint = network_.endpoint(rank);
  resumed.error = std::move(error);
  resumed.snapshot = {endpoint.counters(), endpoint.network(), endpoint.forecast()};
  resumed.state = State::running;
  ++running_;
  resumed.resumed.notify_one();
}

void VirtualScheduler::resume_some() {
  for (;;) {
    const auto next = network_.next_event();
    if (next > time_bound_ && next != never) {
      throw Error("the bound of virtual time is passed: raise it, or look for a rank that never calls");
    }
    const auto touched = network_.step();
    if (!touched) throw Error("every rank waits and nothing is under way: look for a rank that ended early");
    if (resume_if_done(*touched)) return;
  }
}

void VirtualScheduler::give_up(const std::exception_ptr& error) {
  for (Rank rank = 0; rank < network_.size(); ++rank) {
    const auto state = program(rank).state;
    if (state == State::waiting || state == State::called) resume(rank, error);
  }
}

}  // namespace lbsp::transport
