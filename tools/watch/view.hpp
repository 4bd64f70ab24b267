#pragma once

#include <cstddef>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace lbsp::watch {

/// How many lines there is room for, and how long they may be; as it stands, for all.
struct Room {
  std::size_t lines = std::numeric_limits<std::size_t>::max();
  std::size_t columns = std::numeric_limits<std::size_t>::max();
};

/// What a terminal shows of a job's answer (docs/watching.md): a line about the whole, one for each rank as far as
/// there is room, those that are waited for first, and who is waited for. Where lines would be too long, the figures of
/// least use are left out. Throws UsageError if it is no answer.
std::string view_of(const nlohmann::json& answer, Room room = {});

}  // namespace lbsp::watch
