#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "transport/bytes.hpp"

namespace lbsp::transport {

/// Memory of long messages that have been sent, for those that come. A system gives memory page by page when it is
/// first written to, which takes several times as long as to write to it.
class SparePayloads {
 public:
  static constexpr std::size_t least_bytes = std::size_t{64} << 10;  ///< shorter ones the allocator keeps
  static constexpr std::size_t most_bytes = std::size_t{64} << 20;   ///< of all together

  /// Of that length; the bytes are anything. Throws std::bad_alloc.
  Bytes take(std::size_t bytes) {
    for (std::size_t i = payloads_.size(); i-- > 0;) {
      const std::size_t room = payloads_[i].capacity();
      if (bytes < least_bytes || room < bytes || room > 2 * bytes) continue;
      Bytes taken = remove(i);
      taken.resize(bytes);
      return taken;
    }
    return Bytes(bytes);
  }

  /// Those that nobody has taken go first.
  void give(Bytes payload) {
    if (payload.capacity() < least_bytes || payload.capacity() > most_bytes) return;
    kept_ += payload.capacity();
    payloads_.push_back(std::move(payload));
    while (kept_ > most_bytes)
      remove(0);
  }

 private:
  Bytes remove(std::size_t index) {
    Bytes removed = std::move(payloads_[index]);
    payloads_.erase(payloads_.begin() + static_cast<std::ptrdiff_t>(index));
    kept_ -= removed.capacity();
    return removed;
  }

  std::vector<Bytes> payloads_;
  std::size_t kept_ = 0;
};

}  // namespace lbsp::transport
