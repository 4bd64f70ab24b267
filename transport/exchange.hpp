#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/early_messages.hpp"
#include "transport/error.hpp"
#include "transport/loss_notice.hpp"
#include "transport/traffic.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What else a backend offers if its messages can be written where others read them, so that they are not copied on
/// their way.
class Lending {
 public:
  /// Which messages have told of what is fetched: those of the superstep's reply(), or of its exchange().
  enum class Leg : std::uint8_t { reply, first };

  /// What the caller has to do anyway while it waits for the others, and what throws nothing.
  using Deed = std::function<void()>;

  /// A message that is the same for all.
  static constexpr std::size_t alike_bytes = 32;
  using Alike = std::span<const std::byte, alike_bytes>;

  Lending() = default;
  Lending(const Lending&) = delete;
  Lending& operator=(const Lending&) = delete;
  virtual ~Lending() = default;

  /// Memory of at least `bytes` for the message of the next exchange() to that rank, aligned to 16. It begins with the
  /// first `used` bytes of what the last call for that rank and exchange returned. Throws MessageTooLarge.
  virtual std::span<std::byte> room(Rank to, std::size_t bytes, std::size_t used) = 0;
  /// Copies a long run of bytes to a place in that room, in the way that suits the rank that reads it.
  virtual void copy(Rank /*to*/, std::byte* place, std::span<const std::byte> bytes) {
    std::memcpy(place, bytes.data(), bytes.size());
  }

  /// Exchange::exchange() with the first lengths[j] bytes of the room of each other rank j; with `last`,
  /// Exchange::last_exchange(). Returns the messages by source, aligned to 16. They stay until the next call; the own
  /// entry is empty. Not after an error. Does `meanwhile` once, unless it throws before: when the messages are on their
  /// way, if that changes none of the counters before, or else at first.
  virtual std::span<const std::span<const std::byte>> exchange(std::span<const std::size_t> lengths,
                                                               bool last, const Deed& meanwhile) = 0;
  /// The same with this message to each other rank, whatever has been written to the rooms.
  virtual std::span<const std::span<const std::byte>> exchange_alike(Alike message,
                                                                     const Deed& meanwhile) = 0;

  /// From so many bytes on, that rank has memory sooner if it is offered than if it is sent. The largest number there
  /// is, if that rank cannot fetch from this one.
  virtual std::size_t least_offer(Rank to) const = 0;
  /// Offers this memory, of at least so many bytes, to that rank, which may fetch() it until settle(). Until that
  /// returns it must stay and not change. Returns its address, for a message or a reply to tell that rank.
  virtual std::uint64_t offer(Rank to, std::span<const std::byte> memory) = 0;
  /// Copies memory that a rank has offered to this one. Throws PeerLost if that rank has ended, and Error if there is
  /// no such memory.
  virtual void fetch(Rank from, std::uint64_t address, std::span<std::byte> into) = 0;
  /// After all fetches that the messages of a leg told of: says to each of `owners`, from which this rank has fetched,
  /// that it is done, and waits until each of `readers`, to which it has offered memory, has said the same. To be
  /// called for the reply's leg before the first one's. Throws as exchange().
  virtual void settle(Leg leg, std::span<const Rank> owners, std::span<const Rank> readers) = 0;
};

/// The waist between the runtime and a backend (UDP, MPI, a simulated network, threads of one process):
/// everything that the runtime may ask of a backend.
///
/// A superstep has one leg in which every rank sends one message, possibly empty, to every other rank. It may
/// have a second leg in which only some pairs exchange messages. Each leg blocks the calling thread until
/// everything addressed to this rank in it has arrived, whole and exactly once. Neither waits until this
/// rank's own messages are acknowledged. All ranks must call exchange() equally often.
///
/// Only one thread may use an Exchange. It throws the errors of transport/error.hpp; after an error other than
/// WorldChanged, only abort() and the destructor may be called.
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  virtual Rank rank() const noexcept = 0;
  virtual Rank size() const noexcept = 0;

  /// Throws MessageTooLarge if the next exchange() would, for a message of so many bytes to that rank: asked before
  /// memory is taken for it. Rooms of lending() are checked as they are made.
  virtual void check_message(Rank /*to*/, std::size_t /*bytes*/) const {}

  /// The same supersteps without copies; none if this backend cannot do so. Either this or exchange() is used.
  virtual Lending* lending() noexcept { return nullptr; }

  /// The first leg of the next superstep. Sends `outgoing[j]` to rank j and ignores this rank's own entry.
  /// Returns the message of each rank; this rank's own entry is empty. `outgoing` must have size() entries.
  virtual std::vector<Bytes> exchange(std::vector<Bytes> outgoing) = 0;

  using Work = std::function<void()>;
  /// exchange(), and `work`, which may not use this: while the messages are on their way, if this backend moves them
  /// by itself, or else when they have come. Throws what `work` throws, after which only abort() and the destructor may
  /// be called.
  virtual std::vector<Bytes> exchange_meanwhile(std::vector<Bytes> outgoing, const Work& work) {
    std::vector<Bytes> incoming = exchange(std::move(outgoing));
    work();
    return incoming;
  }

  /// The second leg of the superstep whose exchange() returned last; at most one for each superstep. Sends
  /// `outgoing[j]` to each j in `destinations` and waits for a message from each i in `sources`. For every
  /// pair, sender and receiver must agree whether it has a message. Neither list may hold this rank or any
  /// rank twice.
  virtual std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                                   const std::vector<Rank>& sources) = 0;

  /// Messages may be sent so many supersteps before they are awaited; 0: this backend cannot do so, and the two calls
  /// below throw UsageError.
  virtual std::uint32_t most_early() const noexcept { return 0; }
  /// Sends these with the next exchange(), when nothing else is to be sent: while the network would be idle. They delay
  /// only a superstep before which they are awaited, if they have not arrived by then. `supersteps`: 1 to most_early().
  // NOLINTNEXTLINE(performance-unnecessary-value-param): who can send them keeps them
  virtual void send_early(EarlyMessages /*messages*/) { refuse_early(); }
  /// Each rank to which early messages are sent calls it before the exchange() before which these are awaited.
  /// `sources`: who sends them. Blocks until all have arrived, and returns them by rank. That they have arrived says
  /// nothing about how far the others have come.
  virtual std::vector<Bytes> receive_early(const std::vector<Rank>& /*sources*/) { refuse_early(); }

  /// The exchange() of the last superstep, after which only finish() may be called. A backend that knows so
  /// takes its leave while it exchanges.
  virtual std::vector<Bytes> last_exchange(std::vector<Bytes> outgoing) {
    return exchange(std::move(outgoing));
  }

  /// From the next exchange() on this rank can also go on from this boundary, a number of the program's own that
  /// never falls, if the job goes on without ranks that are lost; 0, from which every rank can, is the job's
  /// beginning. It must keep what it has for the newest boundary that it held in an exchange() that has returned, and
  /// for all later ones. An error WorldChanged names one of those, the same on all ranks that go on. After that error
  /// rank() and size() are those of the new world, whose first exchange() is the next one.
  virtual void hold(std::uint64_t /*boundary*/) {}

  /// From here on the job may grow, where its backend can: new ranks come after those that are there, when all can go
  /// on from a new boundary. WorldChanged says so. All ranks are to call it.
  virtual void grow() {}

  /// The orderly end. Returns when no rank needs anything more from this one, in bounded time.
  virtual void finish() = 0;

  /// Tells every other rank, as well as the network allows, that the job is over and why. Their pending or
  /// next call throws Aborted, which names this rank. May be called from any thread.
  virtual void abort(std::string_view reason) noexcept = 0;

  /// What others know of a rank's process. May be called from any thread, but not while this is destroyed.
  virtual void take_notice(const LossNotice& /*notice*/) noexcept {}
  /// It is known outside that these ranks, numbered as at the job's start, have returned from finish(): their last
  /// words need not be awaited in finish(). May be called like take_notice().
  virtual void take_departures(const std::vector<Rank>& /*ranks*/) noexcept {}

  /// The counts up to the return of the last call above.
  virtual TrafficCounters counters() const = 0;
  virtual NetworkMeasure network() const = 0;
  /// The ranks, numbered as at the job's start, whose messages of the call that this rank is in have not come,
  /// as far as is known since this was asked before. None where it is in no call, or the backend does not know.
  /// May be called from any thread, but not while this is destroyed.
  virtual std::vector<Rank> awaited() { return {}; }
  /// What was planned for the superstep of the last call above, both legs together; defaults if nothing was
  /// planned.
  virtual Forecast forecast() const { return {}; }
  /// For how long the thread that answers for this rank while the program computes has had a processor; 0 if the
  /// backend has none of its own.
  virtual Duration network_thread_time() { return Duration{0}; }

 private:
  [[noreturn]] static void refuse_early() {
    throw UsageError("this backend sends no message before its superstep: ask most_early() first");
  }
};

}  // namespace lbsp::transport
