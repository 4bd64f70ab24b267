#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/core/address_checks.hpp"
#include "transport/core/assembly.hpp"
#include "transport/core/control.hpp"
#include "transport/core/outlet.hpp"
#include "transport/core/own_routes.hpp"
#include "transport/core/receiving.hpp"
#include "transport/core/reporting.hpp"
#include "transport/early_messages.hpp"
#include "transport/ending/farewell.hpp"
#include "transport/ending/liveness.hpp"
#include "transport/peers/endpoint_config.hpp"
#include "transport/peers/endpoint_state.hpp"
#include "transport/peers/loss_recovery.hpp"
#include "transport/sending/datagram_writer.hpp"
#include "transport/sending/in_flight.hpp"
#include "transport/sending/planning.hpp"
#include "transport/sending/sending.hpp"
#include "transport/sizes/size_finder.hpp"
#include "transport/traffic.hpp"

namespace lbsp::transport {

/// The superstep protocol of one rank, without I/O: a deterministic state machine that is given datagrams and
/// the time, and is asked for datagrams to send and for its next deadline. It reads no clock, opens no
/// socket, starts no thread and never waits.
///
/// After every call a driver asks poll_transmit() until it gives nothing, and sees to it that
/// handle_timeout() is called when next_timeout() comes. Time must not run backwards.
class Endpoint {
 public:
  /// Throws UsageError if an option is out of its range, or rank and size make no job.
  Endpoint(EndpointConfig config, Instant now);
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  // The rank's side.

  /// Begins the next superstep's first leg: a message to every other rank, one from each awaited.
  /// Throws MessageTooLarge before anything is sent if a message exceeds the ceiling.
  void begin_exchange(std::vector<Bytes> outgoing, Instant now);
  /// The same with `others` only, all of which do so too: messages between the rest go another way.
  void begin_exchange_with(const std::vector<Rank>& others, std::vector<Bytes> outgoing, Instant now);
  /// begin_exchange() of the last superstep, after which only begin_finish() may be called. Takes leave of each peer
  /// as soon as its message has come.
  void begin_last_exchange(std::vector<Bytes> outgoing, Instant now);
  /// Begins the second leg of the same superstep, between some pairs.
  void begin_reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                   const std::vector<Rank>& sources, Instant now);
  /// With the first leg begun last, these too. They go when nothing else is to be sent, and nothing is sent for them
  /// in advance. Throws MessageTooLarge.
  void send_early(EarlyMessages messages);
  /// Begins the leg in which those arrive that are awaited before the next first leg. Nothing is sent in it.
  void begin_early(const std::vector<Rank>& sources, Instant now);
  /// Whether the leg begun last is over for this rank.
  bool exchange_complete() const { return !state_.legs.active(); }
  /// Whose messages of the leg have not come.
  std::vector<Rank> awaited() const { return state_.legs.awaited(); }
  /// The messages of the completed leg, by rank.
  std::vector<Bytes> take_messages() { return assembly_.take_messages(); }

  /// Begins the orderly end, or goes on with it. To be called when the last exchange is complete, or when nothing of it
  /// is needed any more.
  void begin_finish(Instant now);
  /// Whether this rank may leave: no other needs anything of it, or could be told so.
  bool finished() const { return farewell_.done(); }
  /// Whether a peer has said, in the orderly end or asked by another's, that it needs nothing more.
  bool heard_farewell() const;
  /// It is known from outside that the rank has come to the end of its orderly end, and is gone: as if its FIN had been
  /// heard, which may have been lost as often as it was said.
  void take_departure(Rank rank, Instant now);

  /// Ends the job: this endpoint fails, and tells all others.
  void abort(std::string_view reason, Instant now);
  const std::optional<Failure>& failure() const { return control_.failure(); }

  // The network's side.

  /// Takes a datagram as it arrived, from any source, and decrypts it in place. One that is not authentic is
  /// counted, dropped and not answered. Returns the rank that it is from, if it is authentic and no later one of
  /// that rank has come, or if it is a copy while that rank is looked for: there that rank may be (addresses()).
  std::optional<HeardFrom> handle_datagram(std::span<std::byte> datagram, const Arrival& arrival) {
    look_at_clock(arrival.at);
    state_.lateness.note(arrival.waited, arrival.at);
    return receiving_.take(datagram, liveness_.with_own_sleep(arrival));
  }
  /// Writes the next datagram to be sent now; nothing if there is none. `buffer` must have
  /// options.datagram_bytes.
  std::optional<Transmit> poll_transmit(std::span<std::byte> buffer, Instant now);
  /// There it is told, and asked, how long datagrams to a peer may be, and whether the host sends them.
  OwnRoutes& routes() { return routes_; }
  const OwnRoutes& routes() const { return routes_; }
  /// There it is told that a rank's datagrams come from another address, and asked whether that rank is there.
  AddressChecks& addresses() { return addresses_; }
  /// When handle_timeout() must be called, or poll_transmit() again; `never` if nothing happens with time
  /// alone.
  Instant next_timeout() const;
  /// The part of it that is sending: from then on poll_transmit() gives something, whatever timers say.
  Instant next_transmit() const { return outlet_.next_release(); }
  void handle_timeout(Instant now);
  /// Since the beginning, so many datagrams have found this rank's receive buffer full.
  void note_overflowed(std::uint64_t datagrams) { state_.counters.datagrams_overflowed = datagrams; }

  const TrafficCounters& counters() const { return state_.counters; }
  /// Whether the rate has to be found, and the answers that first tell of it are still to come.
  bool awaits_first_answers() const { return !in_flight_.first_answered(); }
  /// Until when they are worth waiting for, since then: while such questions and answers come, the links are so slow
  /// that more are under way.
  Instant first_answers_until(Instant since) const;
  /// The round trip to that rank, as measured; 0: it has not been.
  Duration answers_take(Rank from) const {
    const PathEstimate& times = state_.peers[from].path.times;
    return times.measured() ? times.round_trip() : Duration{0};
  }
  NetworkMeasure network() const;
  /// What was planned for the superstep begun last, up to the leg begun last.
  const Forecast& forecast() const { return planning_.forecast(); }
  /// What the next endpoint of this process can begin with.
  KnownNetwork known() const;
  /// What is known of the path to this peer.
  PathForecast path_to(Rank to) const { return state_.peers[to].forecast(); }

 private:
  void begin_leg(MessageId id, const std::vector<Rank>& destinations, const std::vector<Rank>& sources,
                 std::vector<Bytes> outgoing, Instant now);
  void look_at_clock(Instant now) {
    liveness_.forgive_own_sleep(now, [this] { return next_timeout(); });
  }
  void strike(Rank rank, Timer timer, Instant now);

  EndpointState state_;
  DatagramWriter writer_;
  Control control_;
  Farewell farewell_;
  std::unique_ptr<LossRecovery> recovery_;
  Liveness liveness_;
  Planning planning_;
  InFlight in_flight_;
  Sending sending_;
  Granting granting_;
  Reporting reporting_;
  SizeFinder sizes_;
  Assembly assembly_;
  AddressChecks addresses_;
  Receiving receiving_;
  Outlet outlet_;
  OwnRoutes routes_;
  std::uint32_t next_superstep_ = 0;
};

}  // namespace lbsp::transport
