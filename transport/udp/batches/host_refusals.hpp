#pragma once

#include <utility>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::transport {

/// Where this host itself refuses to send, as its firewall or its routes say.
class HostRefusals {
 public:
  struct Change {
    Rank to;
    int error;  ///< why it refuses (errno); 0: it takes what goes there again
    bool operator==(const Change&) const = default;
  };

  /// The system has refused a datagram. Other errors than those of firewalls and routes do not count.
  void refused(Rank to, int error);
  /// It has taken one.
  void taken(Rank to) {
    if (!refused_.empty()) [[unlikely]]
      forget(to);
  }
  /// Since this was asked last, oldest first.
  std::vector<Change> take_changes() { return std::exchange(changes_, {}); }

 private:
  void forget(Rank to);

  std::vector<Change> refused_;  ///< as it is now
  std::vector<Change> changes_;
};

}  // namespace lbsp::transport
