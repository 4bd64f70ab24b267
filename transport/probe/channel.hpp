#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "transport/probe/datagram.hpp"
#include "transport/wire/replay_window.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::transport::probe {

/// The sealed datagrams of one session, in both directions, at one of its ends. Each session has a new key,
/// so packet numbers never repeat under it.
class Channel {
 public:
  enum class End : std::uint8_t { client = 0, responder = 1 };

  Channel(const transport::JobKey& session, std::uint32_t id, std::uint16_t tag, End end,
          transport::Cipher cipher);

  std::uint32_t id() const { return id_; }

  /// Where the body goes in a datagram of `bytes` bytes with `clear` further clear bytes behind its header.
  /// The caller writes these and the body.
  static std::span<std::byte> body(std::span<std::byte> datagram, std::size_t clear = 0) {
    return datagram.subspan(header_bytes + clear, datagram.size() - header_bytes - clear - seal_bytes);
  }
  /// Writes the header and seals all of `datagram`.
  void seal(Kind kind, std::span<std::byte> datagram, std::size_t clear = 0);

  /// Returns the body if the datagram is from the other end and has not arrived before. Decrypts in place.
  std::optional<std::span<std::byte>> open(const Header& header, std::span<std::byte> datagram,
                                           std::size_t clear = 0);

 private:
  std::uint32_t id_;
  std::uint16_t tag_;
  transport::DirectionKey out_;
  transport::DirectionKey in_;
  transport::ReplayWindow window_;
  std::uint64_t next_ = 0;
};

}  // namespace lbsp::transport::probe
