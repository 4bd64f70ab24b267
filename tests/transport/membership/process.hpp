#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fate.hpp"
#include "transport/membership/agreement.hpp"
#include "transport/splitmix.hpp"

namespace lbsp::transport::testing {

/// A process of a job of abstract supersteps, and what it knows.
struct Process {
  bool runs() const { return lives && !out; }
  /// Each other member has sent its message of the superstep that this one is in.
  bool all_came() const {
    bool all = true;
    agreement->config().members.for_each([&](Slot other) {
      all = all && (other == agreement->config().self || heard[static_cast<std::size_t>(other)] >= sent);
    });
    return all;
  }
  /// The agreement of the epoch with this key; none if this process cannot read what has it.
  Agreement* agreement_with(std::uint64_t datagram_key) const {
    if (datagram_key == key) return agreement.get();
    return datagram_key == last_key ? last_agreement.get() : nullptr;
  }

  bool lives = true;
  bool out = false;
  std::unique_ptr<Agreement> agreement;
  std::unique_ptr<Agreement> last_agreement;
  std::uint64_t key = 1;
  std::uint64_t last_key = 0;
  std::uint64_t completed = 0;
  std::uint64_t sent = 0;
  Held held;
  Notices notices;                   ///< of the epochs before
  std::vector<std::uint64_t> heard;  ///< by slot: the newest superstep for which its message has come
  Instant computed{};
  Instant next_beat{};
  Instant armed = never;
  std::vector<std::shared_ptr<const Datagram>> socket;  ///< what came while it was frozen
  std::optional<Instant> frozen_since;
  int sayings = 0;
  int told = 0;
  std::uint32_t versions_before = 0;  ///< of its views, before it forgot
  std::uint64_t completed_in_epoch = 0;
};

/// Of the epoch that follows this decision in an epoch with this key.
inline std::uint64_t key_after(std::uint64_t key, const Decision& value) {
  key = splitmix(key ^ value.boundary);
  value.members.for_each([&](Slot slot) { key = splitmix(key ^ static_cast<std::uint64_t>(slot)); });
  return key;
}

}  // namespace lbsp::transport::testing
