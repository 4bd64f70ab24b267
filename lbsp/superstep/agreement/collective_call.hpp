#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lbsp/superstep/agreement/check_value.hpp"
#include "lbsp/superstep/messages/layout.hpp"
#include "transport/units.hpp"

namespace lbsp::superstep {

/// The call of a collective, as all ranks have to make it. It travels in the log of the superstep.
struct CollectiveCall {
  static constexpr std::uint64_t any_size = ~std::uint64_t{0};

  /// Of a name that was remembered (check_value.hpp); what stands behind its first space is the variant.
  std::uint32_t name = no_check;
  std::optional<Rank> root = std::nullopt;
  std::uint32_t element_bytes = 1;
  std::uint64_t bytes = any_size;      ///< any_size: every rank as it likes
  std::uint32_t operation = no_check;  ///< how values are combined
};

LogEntry log_entry(const CollectiveCall& call);

/// "called all_reduce (direct, 4 elements of 8 bytes, by std::plus<void> of double)", of a log entry of this kind.
std::string describe_collective(const LogEntry& entry);

}  // namespace lbsp::superstep
