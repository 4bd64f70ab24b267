#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/uv/descriptors.hpp"

namespace lbsp::wan::router {

/// The name of a virtual host's network device.
inline constexpr const char* device_name = "wan0";

/// What reads what a host sends, and writes what it receives, without waiting. The device vanishes with it.
struct HostDevice {
  uv::Descriptor descriptor;
  /// Each packet is read and written behind an OffloadHeader, and may be a train of datagrams; else it is one packet.
  bool offloads = false;
};

/// Makes the calling thread's network namespace a host: loopback, no IPv6, and one device (TUN) with
/// this MTU and this address in a network of 256, through which all goes that is for the others of it; there is no
/// other route. `offloads`: trains pass it whole, if the kernel has that (Linux 6.2). Throws SystemError.
HostDevice make_host_device(std::uint32_t address, std::size_t mtu_bytes, bool offloads);

/// Packets that the calling thread's namespace has sent into its device and that nobody read in time: its
/// queue was full. Throws SystemError.
std::uint64_t device_queue_drops();

}  // namespace lbsp::wan::router
