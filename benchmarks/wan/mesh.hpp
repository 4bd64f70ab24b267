#pragma once

#include <cstddef>
#include <cstdint>
#include <netinet/in.h>
#include <span>
#include <string>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::benchmark {

/// One connection from this rank to every other, over which all exchange messages at the same time.
class Mesh {
 public:
  virtual ~Mesh() = default;

  /// Sends `message` to all others, and fills received[r] with the message of rank r, whose length is known.
  virtual void exchange(std::span<const std::byte> message,
                        std::vector<std::vector<std::byte>>& received) = 0;
};

/// This rank among the others, whose IPv4 addresses stand by rank; all listen at `port`.
struct Place {
  Rank rank = 0;
  std::vector<std::string> addresses = {};
  std::uint16_t port = 0;

  std::size_t self() const { return static_cast<std::size_t>(rank); }
  std::size_t size() const { return addresses.size(); }
  /// Throws UsageError if what stands there is no address.
  sockaddr_in address_of(std::size_t which) const;
};

}  // namespace lbsp::benchmark
