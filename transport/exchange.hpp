#pragma once

#include <string_view>
#include <vector>

#include "transport/bytes.hpp"
#include "transport/traffic.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The narrow waist: all that a way of carrying supersteps (UDP, simulated network, threads of one process)
/// offers the runtime, and all that the runtime may ask of it.
///
/// A superstep has one leg in which every ordered pair of ranks exchanges one message, possibly empty, and
/// may have a second in which only some pairs do. Both block the calling thread until all that is addressed
/// to this rank in that leg has arrived, whole and exactly once; neither waits until this rank's own messages
/// are acknowledged. All ranks must call exchange() equally often.
///
/// One thread uses an Exchange. Errors are thrown (transport/error.hpp); after one, only abort() and the
/// destructor may be called.
class Exchange {
 public:
  Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;
  virtual ~Exchange() = default;

  virtual Rank rank() const noexcept = 0;
  virtual Rank size() const noexcept = 0;

  /// First leg of the next superstep. `outgoing[j]` goes to rank j; the own entry is ignored.
  /// Returns the message of each rank; the own entry is empty. `outgoing` must have size() entries.
  virtual std::vector<Bytes> exchange(std::vector<Bytes> outgoing) = 0;

  /// Second leg of the superstep whose exchange() returned last, at most once: sends `outgoing[j]` to each j
  /// in `destinations` and waits for a message from each i in `sources`. Sender and receiver must agree that
  /// the pair has one. Neither list may hold the own rank or a rank twice.
  virtual std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                                   const std::vector<Rank>& sources) = 0;

  /// Orderly end: returns when no rank needs anything from this one any more, in bounded time.
  virtual void finish() = 0;

  /// Tells every other rank, as well as the network allows, that the job is over and why; their pending or
  /// next call throws Aborted with a message that names this rank. May be called from any thread.
  virtual void abort(std::string_view reason) noexcept = 0;

  /// Counts up to the return of the last call above.
  virtual TrafficCounters counters() const = 0;
  virtual NetworkMeasure network() const = 0;
  /// What was planned for the superstep of the last call above, both legs together; defaults if nothing was.
  virtual Forecast forecast() const { return {}; }
};

}  // namespace lbsp::transport
