#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "transport/arrival.hpp"
#include "transport/ending/farewell.hpp"
#include "transport/peers/endpoint_state.hpp"
#include "transport/peers/loss_recovery.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::transport {

/// Ends every wait: knows what this rank waits for, when that last got on, and what to say when it does not.
class Liveness {
 public:
  Liveness(EndpointState& state, const Farewell& farewell, const LossRecovery& recovery, Instant now)
      : state_(state),
        farewell_(farewell),
        recovery_(recovery),
        long_sleep_(state.config.options.peer_timeout / 2),
        last_call_(now) {}

  /// To be called with every call of the endpoint. If this process did not run for a while (stopped, or its
  /// host suspended), its peers' datagrams may still wait in the socket, so the time it slept is not
  /// their silence.
  void forgive_own_sleep(Instant now) {
    const Duration slept = now - last_call_;
    last_call_ = std::max(last_call_, now);
    if (slept >= long_sleep_) [[unlikely]]
      forgive(slept, now);
    if (slept >= short_sleep) quiet_ = {.from = now - slept, .to = now};
    if (now - counted_ >= long_sleep_ / 32) count_unanswered(now);
  }

  /// The same for an endpoint whose next_timeout() `due` gives. If it is called much later than that, its process did
  /// not run, for a shorter time, too: what an echo would tell of a round trip then includes that.
  template <class Due>
  void forgive_own_sleep(Instant now, const Due& due) {
    if (now - last_call_ >= short_sleep && now - due() >= short_sleep) [[unlikely]]
      forget_sent(now);
    forgive_own_sleep(now);
  }

  /// The same if it was due to do nothing: what has come meanwhile has waited for it. To be called with what comes,
  /// after the endpoint was; says of that for how long it has waited for a process that did not run.
  Arrival with_own_sleep(Arrival arrival) {
    if (arrival.waited >= least_waited && arrival.at - quiet_.to < short_sleep) [[unlikely]]
      note_own_sleep(arrival);
    return arrival;
  }

  /// By then the endpoint must be called again, or that it waited would look as if its process had not run.
  Instant next_call() const { return last_call_ + long_sleep_ / 2; }

  /// What this rank tells a peer of itself; without the echo.
  StatusHeader statement_to(const Peer& other) const;
  /// Takes what a peer says of itself. One that has not begun the leg may compute for as long as it likes. One that
  /// has begun, and gets on with others, will come to this rank's message.
  void take_statement(Peer& from, const StatusHeader& status, Instant now);

  /// Sets when all waits for this peer end, and its keepalive. It is enough to do so when a wait begins, and when
  /// one seems to be over: whatever else happens only puts them off.
  void set_limits(Peer& other);
  /// Why this peer is given up, after Timer::silence or Timer::progress has struck.
  AbortNotice verdict(const Peer& other, Instant now) const;
  /// Why a peer is given up of whose path the circuit breaker is open.
  AbortNotice nothing_arrives(const Peer& other, Instant now) const;

 private:
  /// Longer than a process waits for its processor where it shares that with others.
  static constexpr Duration short_sleep = std::chrono::milliseconds{250};
  /// The same, of what it reads when it has had nothing to do before.
  static constexpr Duration least_waited = std::chrono::milliseconds{50};

  void forget_sent(Instant before);
  void forgive(Duration slept, Instant now);
  void note_own_sleep(Arrival& arrival);
  void count_unanswered(Instant now);
  /// When any of the others was last heard who are still expected to speak, if there are several and none has
  /// been heard for nearly the limit; `never` otherwise.
  Instant cut_off_since(Instant now) const;
  AbortNotice cut_off(Instant since, Instant now) const;
  AbortNotice refused(const Peer& other, Instant now) const;
  AbortNotice silent(const Peer& other, Instant now) const;
  AbortNotice does_not_deliver(const Peer& other, Instant now) const;
  void blame_rate(AbortNotice& notice, const Peer& other) const;
  /// What a datagram takes at the rank's rate, if that is nearly the limit of silence; empty otherwise.
  std::string slow_rate(const Peer& other) const;

  EndpointState& state_;
  const Farewell& farewell_;
  const LossRecovery& recovery_;
  Duration long_sleep_;  ///< half the limit of silence
  Instant last_call_;
  Instant counted_{};
  /// When the endpoint was last not called for long: it slept, or had nothing to do.
  struct {
    Instant from{};
    Instant to{};
  } quiet_;
};

}  // namespace lbsp::transport
