#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "transport/host_refusal.hpp"
#include "transport/lasting/process_names.hpp"
#include "transport/membership/callers.hpp"

namespace lbsp::transport {

/// What this process's own host says of the ways to others, by station, in all epochs: how long datagrams its routes
/// take, and to whom it refuses to send.
class HostRoutes {
 public:
  /// Routes of which nothing is known take datagrams of `usual` bytes. At first there are so many stations.
  HostRoutes(std::size_t stations, std::size_t usual) : usual_(usual), bytes_(stations, usual) {}

  /// There is such a station.
  void add(Station station);
  /// It is another process's now.
  void forget(Station station);
  void limit(Station to, std::size_t bytes);
  std::size_t bytes(Station to) const;
  /// There are none from this one on, or nothing is known of them.
  std::size_t stations() const { return bytes_.size(); }

  /// It refuses with this error of the system; 0: no more.
  void refuse(Station to, int error);
  const std::map<Station, int>& refused() const { return refused_; }
  /// Of those of this epoch, by slots.
  HostRefusal refusal(const ProcessNames& names) const;

 private:
  std::size_t usual_;
  std::vector<std::size_t> bytes_;
  std::map<Station, int> refused_;
};

}  // namespace lbsp::transport
