#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "transport/address_answer.hpp"
#include "transport/core/endpoint.hpp"
#include "transport/heard_from.hpp"
#include "transport/host_refusal.hpp"
#include "transport/lasting/host_routes.hpp"
#include "transport/lasting/membership.hpp"
#include "transport/lasting/process_names.hpp"
#include "transport/membership/callers.hpp"
#include "transport/units.hpp"

namespace lbsp::transport {

/// The ways from a process to the others of its job, by station, as its own host has them. What the host says of one is
/// told to this epoch's endpoint, and to those of later ones.
class OwnWays {
 public:
  /// At first there are so many stations. Ways of which nothing is known take datagrams of `usual` bytes.
  /// `membership`: its agreements are told to whom the host refuses to send; null: there is none.
  OwnWays(const ProcessNames& names, std::size_t stations, std::size_t usual,
          Membership* membership = nullptr)
      : names_(names), routes_(stations, usual), membership_(membership) {}

  // For the process's lasting endpoint.

  /// An epoch begins that has these names, with this endpoint of rank `self`.
  void begin_epoch(Endpoint& endpoint, Rank self, Instant now);
  /// These stations are other processes' now.
  void forget(const std::vector<Station>& stations);
  /// There are none from this one on, or nothing is known of them.
  std::size_t stations() const { return routes_.stations(); }

  /// Of those of this epoch, by slots.
  HostRefusal refusal() const { return routes_.refusal(names_); }
  /// That one has knocked, and is where its knock came from.
  void note_knock(Station from) { shown_.push_back({from}); }

  // For whoever drives it: as Endpoint's.

  void limit_route(Station to, std::size_t bytes);
  void limit_datagrams(Station to, std::size_t bytes, Instant now);
  std::size_t datagram_bytes(Station to) const;
  std::vector<Station> take_doubtful();
  void note_host_refusal(Station to, int error, Instant now);
  /// As AddressChecks::ask(). Of one that has no rank in this epoch nothing is asked.
  std::optional<std::uint32_t> ask_address(Station of, AddressChecks::Elsewhere where, Instant now);
  /// As AddressChecks::rest().
  void rest_address(Station of);
  /// Which have shown where they are.
  std::vector<AddressAnswer> take_address_answers();

 private:
  const ProcessNames& names_;
  HostRoutes routes_;
  Membership* membership_;
  Endpoint* endpoint_ = nullptr;
  std::vector<AddressAnswer> shown_ = {};
};

}  // namespace lbsp::transport
