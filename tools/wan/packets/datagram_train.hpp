#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <sys/uio.h>
#include <vector>

namespace lbsp::wan::packets {

/// What a device with offloads reads and writes before each packet: virtio_net_hdr of the system, whose header C++ does
/// not read.
struct OffloadHeader {
  static constexpr std::uint8_t checksum_left = 1;       ///< a flag: the checksum is not complete
  static constexpr std::uint8_t train_of_datagrams = 5;  ///< a kind; 0 is a packet like others

  std::uint8_t flags = 0;
  std::uint8_t kind = 0;
  std::uint16_t header_bytes = 0;
  std::uint16_t payload_bytes = 0;    ///< of each datagram of a train
  std::uint16_t checksum_begin = 0;   ///< of what it is of …
  std::uint16_t checksum_offset = 0;  ///< … and its place from there
};
static_assert(sizeof(OffloadHeader) == 10);

/// Completes the checksum that a host has left to its device, if the header says that it has.
void complete_checksum(const OffloadHeader& header, std::span<std::byte> packet);

/// A host may send UDP datagrams as a train: one behind the other after headers that it has only once, with so many
/// bytes of payload in each but the last, which may be shorter (UDP segmentation offload). Writes number `index` of
/// them as a packet of its own into `place`, and returns how long it is. 0: there is none, it does not fit, or this is
/// no such train.
std::size_t cut_datagram(std::span<const std::byte> train, std::size_t payload_bytes, std::size_t index,
                         std::span<std::byte> place);

/// Packets for one host, as many as it takes in one system call: datagrams of one flow, of one length but the last,
/// which may be shorter; or one packet of whatever kind. Each host sees the same as if it got them alone.
class OutgoingTrain {
 public:
  /// Whether the packet can go with those that are there.
  bool takes(std::span<const std::byte> packet) const;
  /// Its bytes must stay where they are.
  void add(std::span<const std::byte> packet) { packets_.push_back(packet); }
  void clear() { packets_.clear(); }

  std::size_t size() const { return packets_.size(); }

  /// What is to be written, with all of them …
  std::span<const iovec> together();
  /// … or with one. Either is there until the next call.
  std::span<const iovec> alone(std::size_t index);

 private:
  static constexpr std::size_t header_bytes = 28;  // of IPv4 without options, and of UDP

  void add_piece(const void* begin, std::size_t bytes);

  std::vector<std::span<const std::byte>> packets_;
  std::vector<iovec> pieces_;
  OffloadHeader offload_{};
  std::array<std::byte, header_bytes> headers_{};
};

}  // namespace lbsp::wan::packets
