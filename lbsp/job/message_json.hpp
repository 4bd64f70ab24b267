#pragma once

#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lbsp/job/frame.hpp"
#include "lbsp/job/json_values.hpp"
#include "lbsp/job/memory_end.hpp"
#include "transport/error.hpp"
#include "transport/units.hpp"
#include "transport/wire/format.hpp"

/// What all messages of a job have in common as JSON.
namespace lbsp::job {

/// Program names, paths and error texts are bytes, not always UTF-8; JSON holds UTF-8 only.
inline std::string dump(const nlohmann::json& message) {
  return message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Paths and arguments must arrive as they are, so each byte goes as the code point of its value.
inline std::vector<std::uint8_t> bytes_of(const std::string& text) {
  return {text.begin(), text.end()};
}

inline std::string text_from(const nlohmann::json& bytes) {
  std::string value;
  for (const nlohmann::json& byte : bytes)
    value += static_cast<char>(whole<std::uint8_t>(byte));
  return value;
}

inline std::vector<Rank> ranks_from(const nlohmann::json& list) {
  std::vector<Rank> all;
  for (const nlohmann::json& rank : list)
    all.push_back(whole<Rank>(rank, 0, transport::max_ranks - 1));
  return all;
}

/// Whatever is wrong with a payload is one error: it did not come from this version of lbsp.
template <class Read>
auto reading(std::string_view payload, Read read) {
  const MemoryEnd memory_end;
  try {
    return read(parse_message(payload));
  } catch (const nlohmann::json::exception& problem) {
    throw Error(fmt::format("a control message is not as expected ({}): use the same lbsp everywhere",
                            problem.what()));
  }
}

inline void require_version(const nlohmann::json& in) {
  const int version = whole<int>(in.at("version"));
  if (version == protocol_version) return;
  throw Error(
      fmt::format("the other end speaks version {} of the control protocol, this one {}: use the same "
                  "lbsp for the launcher, the agents and the program",
                  version, protocol_version));
}

}  // namespace lbsp::job
