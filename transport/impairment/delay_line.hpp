#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/ecn.hpp"
#include "transport/impairment/datagram_pool.hpp"
#include "transport/impairment/link.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The datagrams on their way through an impaired network, ordered by arrival. Those that arrive at the same
/// time keep the order in which they were sent. Allocates only when more are on their way than ever before.
class DelayLine {
 public:
  struct Arrival {
    Instant time;
    std::uint64_t sequence;
    Rank from;
    Rank to;
    DatagramPool::Slot slot;  ///< whoever takes the arrival releases it
    std::uint32_t bytes;
    Ecn ecn;
  };

  explicit DelayLine(DatagramPool& pool) : pool_(pool) {}

  /// Sends it through `link`. Takes over its slot.
  void send(ImpairedLink& link, Instant now, PooledDatagram datagram);

  /// The same with passages that are decided already. Corruption spares the first `spared` bytes. Without a
  /// passage the slot is released.
  void send(const Passages& passages, const PooledDatagram& datagram, std::size_t spared = 0);

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  Instant next() const { return heap_.empty() ? never : heap_.front().time; }

  /// Removes and returns the next arrival. There must be one.
  Arrival take();

 private:
  void hold(const Passage& passage, Arrival arrival, std::size_t spared);

  DatagramPool& pool_;
  std::vector<Arrival> heap_;
  std::uint64_t sequence_ = 0;
};

}  // namespace lbsp::transport
