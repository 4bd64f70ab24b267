#pragma once

#include <cstddef>
#include <cstdint>

#include "tools/uv/descriptors.hpp"

namespace lbsp::wan {

/// The name of a virtual host's network device.
inline constexpr const char* device_name = "wan0";

/// Makes the calling thread's network namespace a host: loopback, no IPv6, and one device (TUN) with
/// this MTU and this address in a network of 256, through which all goes that is for the others of it; there is no
/// other route. Whoever reads the descriptor gets the packets that the host sends, one a read(), without
/// waiting; what is written to it, the host receives. The device vanishes with the descriptor. Throws
/// SystemError.
uv::Descriptor make_host_device(std::uint32_t address, std::size_t mtu_bytes);

/// Packets that the calling thread's namespace has sent into its device and that nobody read in time: its
/// queue was full. Throws SystemError.
std::uint64_t device_queue_drops();

}  // namespace lbsp::wan
