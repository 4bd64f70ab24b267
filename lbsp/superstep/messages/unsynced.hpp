#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "lbsp/superstep/messages/message_writer.hpp"

namespace lbsp::superstep {

/// What has been asked for since the last sync.
struct Unsynced {
  std::uint64_t put_bytes = 0;
  std::uint64_t gets = 0;
  std::uint64_t messages = 0;

  bool any() const { return put_bytes + gets + messages > 0; }
};

Unsynced count_unsynced(std::span<const MessageWriter> writers);

/// "24 bytes put, 1 get and 2 messages"; empty if there is nothing.
std::string describe(const Unsynced& unsynced);

}  // namespace lbsp::superstep
