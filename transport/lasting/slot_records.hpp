#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "transport/core/endpoint.hpp"
#include "transport/membership/view.hpp"
#include "transport/redundancy.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// What a process knows of those of its job by their slots, which stay when ranks change: where each is, on which host,
/// and what the path to it has shown. As EndpointConfig has it, where nothing of any may be known.
class SlotRecords {
 public:
  SlotRecords() = default;
  /// Takes what the first epoch's endpoint would be told of its ranks, whose slots are the same.
  explicit SlotRecords(EndpointConfig& first);

  /// What the endpoint of an epoch is told of its ranks, which have these slots.
  void tell(EndpointConfig& config, const std::vector<Slot>& slots) const;

  /// There may be so many slots of which something is known.
  void have_room(std::size_t slots);
  /// What an epoch has shown of the path to that slot's process counts for the next one, but not for ever.
  void remember(Slot slot, PathForecast path);
  /// Nothing is known of the path to that one.
  void forget_path(Slot slot);
  /// A new process has that slot. What was known of the way to the one before is not of its successor's, if that is
  /// on another host.
  void seat(const Seat& seat);
  /// What somebody has said of all, who knows it better.
  void take_hosts(std::vector<std::uint16_t> hosts) { hosts_ = std::move(hosts); }

  const std::vector<std::string>& places() const { return places_; }
  const std::vector<std::uint16_t>& hosts() const { return hosts_; }
  /// Of all paths; of which nothing is known, what is usual.
  Duration longest_round_trip() const;

 private:
  std::vector<std::string> places_;
  std::vector<std::uint16_t> hosts_;
  std::vector<PathForecast> priors_;
};

}  // namespace lbsp::transport
