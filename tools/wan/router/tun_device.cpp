#include "tools/wan/router/tun_device.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <linux/if_tun.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sstream>
#include <string>
#include <sys/ioctl.h>

#include "transport/error.hpp"

namespace lbsp::wan::router {
namespace {

// What a host sends while the router is busy with something else: 1/3 s of 30,000 packets a second.
constexpr int queue_packets = 10'000;

/// TUN_F_USO4 and TUN_F_USO6, which older systems' headers do not name. The kernel takes both or none.
constexpr unsigned uso4 = 0x20;
constexpr unsigned uso6 = 0x40;

ifreq request(const char* device) {
  ifreq out{};
  std::strncpy(out.ifr_name, device, IFNAMSIZ - 1);
  return out;
}

sockaddr internet_address(std::uint32_t address) {
  sockaddr_in in{};
  in.sin_family = AF_INET;
  in.sin_addr.s_addr = htonl(address);
  sockaddr out{};
  std::memcpy(&out, &in, sizeof out);
  return out;
}

/// Settings of devices in the calling thread's namespace.
class DeviceSettings {
 public:
  DeviceSettings() : socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}

  void apply(unsigned long what, ifreq& with) const {
    if (::ioctl(socket_.get(), what, &with) == 0) return;
    throw SystemError(fmt::format("cannot set up the device {}: {}: run as root with CAP_NET_ADMIN",
                                  with.ifr_name, std::strerror(errno)));
  }

  void bring_up(const char* device) const {
    ifreq flags = request(device);
    apply(SIOCGIFFLAGS, flags);
    flags.ifr_flags = static_cast<short>(flags.ifr_flags | IFF_UP | IFF_RUNNING);
    apply(SIOCSIFFLAGS, flags);
  }

 private:
  uv::Descriptor socket_;
};

// Otherwise every host would send router solicitations and such over the bed. Without IPv6 there is no file.
void switch_ipv6_off() {
  for (const char* scope : {"all", "default"})
    std::ofstream(fmt::format("/proc/sys/net/ipv6/conf/{}/disable_ipv6", scope)) << "1\n";
}

uv::Descriptor open_tun(short further_flags) {
  uv::Descriptor tun(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC));
  if (tun.get() < 0) {
    throw SystemError(
        fmt::format("/dev/net/tun: {}: load it with modprobe tun, or give the container that device",
                    std::strerror(errno)));
  }
  ifreq kind = request(device_name);
  kind.ifr_flags = static_cast<short>(IFF_TUN | IFF_NO_PI | further_flags);
  if (::ioctl(tun.get(), TUNSETIFF, &kind) != 0) {
    throw SystemError(
        fmt::format("cannot make a TUN device: {}: run as root with CAP_NET_ADMIN", std::strerror(errno)));
  }
  return tun;
}

/// The kernel leaves it to the device to cut up trains of datagrams, and with that to complete checksums. TCP's trains
/// it cuts up itself: what happens to them on the way would have to be written into headers that depend on each other.
HostDevice open_device(bool offloads) {
  if (offloads) {
    HostDevice device{open_tun(IFF_VNET_HDR), true};
    if (::ioctl(device.descriptor.get(), TUNSETOFFLOAD, TUN_F_CSUM | uso4 | uso6) == 0) return device;
  }
  // Without IFF_VNET_HDR the kernel hands over packets that are checksummed and not above the MTU.
  return {open_tun(0), false};
}

}  // namespace

HostDevice make_host_device(std::uint32_t address, std::size_t mtu_bytes, bool offloads) {
  switch_ipv6_off();
  HostDevice device = open_device(offloads);
  const DeviceSettings settings;
  settings.bring_up("lo");
  ifreq setting = request(device_name);
  setting.ifr_mtu = static_cast<int>(mtu_bytes);
  settings.apply(SIOCSIFMTU, setting);
  setting = request(device_name);
  setting.ifr_qlen = queue_packets;
  settings.apply(SIOCSIFTXQLEN, setting);
  setting = request(device_name);
  setting.ifr_addr = internet_address(address);
  settings.apply(SIOCSIFADDR, setting);
  setting = request(device_name);
  setting.ifr_netmask = internet_address(0xffffff00U);
  settings.apply(SIOCSIFNETMASK, setting);
  settings.bring_up(device_name);
  return device;
}

std::uint64_t device_queue_drops() {
  std::ifstream in("/proc/thread-self/net/dev");
  for (std::string line; std::getline(in, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || line.substr(0, colon).find(device_name) == std::string::npos) continue;
    // Eight counts of what was received, then of what was sent: bytes, packets, errors, drops.
    std::istringstream words(line.substr(colon + 1));
    std::uint64_t value = 0;
    for (int column = 0; column < 12; ++column)
      words >> value;
    if (words) return value;
  }
  throw SystemError(
      fmt::format("the host has no device {} any more: end the bed with lbsp wan down", device_name));
}

}  // namespace lbsp::wan::router
