#include "transport/udp/driving/awaited_call.hpp"

#include <utility>

#include "transport/error.hpp"

namespace lbsp::transport {

void AwaitedCall::look() {
  const LastingEndpoint& endpoint = driver_.endpoint();
  if (endpoint.failure() && !told_ && driver_.farewell_over()) {
    told_ = true;
    outcome_.set_told();
  }
  if (awaited_ == nullptr) {
    outcome_.publish(figures());
  } else if (endpoint.failure() || endpoint.change()) {
    complete({}, end_of_world());
  } else if (awaited_(endpoint)) {
    complete(awaits_messages_ ? driver_.endpoint().take_messages() : std::vector<Bytes>{}, nullptr);
  } else if (asked_for_awaited_.load(std::memory_order_relaxed)) {
    asked_for_awaited_ = false;
    outcome_.publish_awaited(endpoint.world().awaited());
  }
}

/// What is thrown instead of the messages.
std::exception_ptr AwaitedCall::end_of_world() {
  if (!driver_.endpoint().failure())
    return std::make_exception_ptr(WorldChanged(driver_.endpoint().take_change()));
  try {
    throw_failure(*driver_.endpoint().failure());
  } catch (...) {
    return std::current_exception();
  }
}

void AwaitedCall::complete(std::vector<Bytes> messages, std::exception_ptr error) {
  awaited_ = nullptr;
  const OwnWorld& world = driver_.endpoint().world();
  outcome_.complete(std::move(messages), std::move(error), {world.rank(), world.size()}, figures());
}

Outcome::Figures AwaitedCall::figures() const {
  const OwnWorld& world = driver_.endpoint().world();
  return {world.counters(), world.network(), world.endpoint().forecast(), driver_.losses()};
}

}  // namespace lbsp::transport
