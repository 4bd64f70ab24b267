#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "lbsp/job/json_values.hpp"
#include "transport/error.hpp"

namespace lbsp::launch::hosts {

/// What a LineWorker and whoever started it say: one line of JSON each, with its newline.
inline std::string worker_line(const nlohmann::json& content) {
  return content.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// What `read` makes of the line. Throws Error for one that the same version of lbsp would not write.
template <class Read>
auto read_worker_line(std::string_view line, Read read) {
  try {
    return read(job::parse_message(line));
  } catch (const nlohmann::json::exception&) {
    throw Error(
        "a message between lbsp and its worker on a host is not as expected: use the same lbsp everywhere");
  }
}

}  // namespace lbsp::launch::hosts
