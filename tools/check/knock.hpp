#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "transport/wire/sealing.hpp"

namespace lbsp::check {

/// A datagram by which a host finds out whether another hears it: a knock, or the answer to one. Hosts are numbered in
/// the order of the hosts file.
struct Knock {
  bool answer = false;
  int from = 0;
  int to = 0;
  std::uint16_t size = 0;  ///< UDP payload of the knock, which its answer repeats
};

/// The shortest knock, and each answer.
inline constexpr std::uint16_t least_knock_bytes = 48;

/// Seals what one host sends and opens what it receives, with keys of the check's own: nobody else can knock or
/// answer.
///
/// Layout, little endian: 8 bytes that say what it is, `from` and `to` of 2 bytes each, 4 bytes of zero, a packet
/// number of 8; then sealed: 1 byte that is 1 for an answer, 2 of `size`, zeros up to the size, and the tag.
class KnockCipher {
 public:
  KnockCipher(const transport::JobKey& key, int own, int hosts);

  /// A knock has its `size`, an answer least_knock_bytes. `from` is this host, whatever the knock says.
  std::vector<std::byte> seal(const Knock& knock);

  /// nullopt: it is not for this host, or not authentic.
  std::optional<Knock> open(std::span<std::byte> datagram);

 private:
  transport::DirectionKey& key_of(std::map<int, transport::DirectionKey>& keys, int from, int to);

  const transport::JobKey* key_;
  int own_;
  int hosts_;
  std::uint64_t sent_ = 0;
  std::map<int, transport::DirectionKey> out_;
  std::map<int, transport::DirectionKey> in_;
};

}  // namespace lbsp::check
