#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "transport/rate/path_rate.hpp"
#include "transport/rate/uplink_rate.hpp"

namespace lbsp::transport {

/// What an endpoint has found out of the network, for the one that takes its place in the same process.
struct KnownNetwork {
  struct Path {
    std::size_t datagram_bytes = 0;  ///< how long datagrams may be
    PathRate rate;
  };

  std::optional<UplinkRate> uplink;        ///< none: the rank shares one with others of its host
  std::vector<std::optional<Path>> paths;  ///< by rank
};

}  // namespace lbsp::transport
