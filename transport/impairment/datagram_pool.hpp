#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "transport/ecn.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// Buffers of one size that are used again and again. Allocates only when more are in use than ever before. A
/// buffer never moves in memory.
class DatagramPool {
 public:
  using Slot = std::uint32_t;

  explicit DatagramPool(std::size_t slot_bytes) : slot_bytes_(slot_bytes) {}

  Slot acquire();
  void release(Slot slot) { free_.push_back(slot); }

  std::span<std::byte> bytes(Slot slot) {
    return {slabs_[slot / slab_slots].get() + slot % slab_slots * slot_bytes_, slot_bytes_};
  }

  std::size_t slot_bytes() const { return slot_bytes_; }
  std::size_t in_use() const { return slabs_.size() * slab_slots - free_.size(); }

 private:
  static constexpr std::size_t slab_slots = 64;

  std::size_t slot_bytes_;
  std::vector<std::unique_ptr<std::byte[]>> slabs_;
  std::vector<Slot> free_;
};

/// A datagram in a pool's buffer, from one rank to another.
struct PooledDatagram {
  Rank from = 0;
  Rank to = 0;
  DatagramPool::Slot slot{};
  std::size_t bytes = 0;  ///< the first ones of the buffer
  Ecn ecn = Ecn::none;
};

}  // namespace lbsp::transport
