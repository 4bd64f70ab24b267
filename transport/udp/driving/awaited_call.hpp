#pragma once

#include <atomic>
#include <exception>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/udp/driving/driver.hpp"
#include "transport/udp/driving/outcome.hpp"

namespace lbsp::transport {

/// What the program's call waits for, as whoever drives the endpoint sees it: after every event it looks whether the
/// call is over, and says so in the outcome.
class AwaitedCall {
 public:
  /// Of the endpoint: whether what the call waits for is there.
  using Done = bool (*)(const LastingEndpoint&);

  /// Both must live as long.
  AwaitedCall(UdpDriver& driver, Outcome& outcome) : driver_(driver), outcome_(outcome) {}

  /// From here on a call waits. It is over when that is done, the world has changed, or the endpoint has failed.
  /// `has_messages`: when it is done, the endpoint has messages for it.
  void begin(Done done, bool has_messages) {
    awaited_ = done;
    awaits_messages_ = has_messages;
  }
  /// A call is over before it waits, by this error.
  void fail(std::exception_ptr error) { complete({}, std::move(error)); }
  /// After an event. While no call waits, figures are published: the program may ask while what it has handed over is
  /// still being sent.
  void look();
  /// Any thread may ask for whom the call waits: the next look() publishes it.
  void ask_for_awaited() { asked_for_awaited_ = true; }

 private:
  std::exception_ptr end_of_world();
  Outcome::Figures figures() const;
  void complete(std::vector<Bytes> messages, std::exception_ptr error);

  UdpDriver& driver_;
  Outcome& outcome_;
  Done awaited_ = nullptr;  ///< none: no call waits
  bool awaits_messages_ = false;
  bool told_ = false;  ///< Outcome::is_told()
  std::atomic<bool> asked_for_awaited_ = false;
};

}  // namespace lbsp::transport
