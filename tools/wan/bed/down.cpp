#include "tools/wan/bed/down.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "tools/wan/bed/net_namespace.hpp"
#include "transport/error.hpp"

namespace lbsp::wan::bed {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

bool wait_until(const std::function<bool()>& reached, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!reached()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

/// Whether the namespace is the host's: inodes are given again to others when a namespace is gone, and this
/// must not end what runs there.
bool is_network_of(const BedHost& host, const uv::Descriptor& net) {
  struct stat status {};
  if (::fstat(net.get(), &status) != 0 || status.st_ino != host.inode) return false;
  enter_net_namespace(net.get());
  return net_namespace_cookie() == host.cookie;
}

bool runs_on(const BedRecord& bed, int pid) {
  const uv::Descriptor net(::open(fmt::format("/proc/{}/ns/net", pid).c_str(), O_RDONLY | O_CLOEXEC));
  return net.get() >= 0 &&
         std::ranges::any_of(bed.hosts, [&](const BedHost& host) { return is_network_of(host, net); });
}

std::vector<int> processes_on(const BedRecord& bed) {
  const uv::Descriptor own = current_net_namespace();
  std::vector<int> pids;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    int pid = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (problem != std::errc{} || end != name.data() + name.size()) continue;
    if (pid != ::getpid() && pid != bed.router_pid && process_start(pid) && runs_on(bed, pid))
      pids.push_back(pid);
  }
  enter_net_namespace(own.get());
  return pids;
}

/// A process that is stopped hears no signal but SIGKILL until it goes on.
void send(int pid, int number) {
  ::kill(pid, number);
  ::kill(pid, SIGCONT);
}

/// True when none is left.
bool signal_all(const BedRecord& bed, int number, std::chrono::milliseconds patience) {
  const auto pids = processes_on(bed);
  if (pids.empty()) return true;
  for (const int pid : pids)
    send(pid, number);
  return wait_until(
             [&] {
               return std::ranges::none_of(pids, [](int pid) { return process_start(pid).has_value(); });
             },
             patience) &&
         processes_on(bed).empty();
}

/// A launcher on the bed gives its own ranks up to three seconds, and then says why its job ended.
constexpr std::chrono::milliseconds orderly_end = 5s;

void end_processes(const BedRecord& bed) {
  if (signal_all(bed, SIGTERM, orderly_end)) return;
  // They may be starting others.
  for (int attempt = 0; attempt < 5; ++attempt) {
    if (signal_all(bed, SIGKILL, 1s)) return;
  }
  throw SystemError(fmt::format("process {} on a host of the bed {} cannot be ended: end it, then try again",
                                processes_on(bed).front(), bed.name));
}

void end_router(const BedRecord& bed) {
  for (const int number : {SIGTERM, SIGKILL}) {
    if (!bed.router_alive()) return;
    send(bed.router_pid, number);
    // The kernel takes some 20 ms for every device.
    if (wait_until([&] { return !bed.router_alive(); }, 20s)) return;
  }
  throw SystemError(fmt::format("the router of the bed {}, process {}, cannot be ended: try again", bed.name,
                                bed.router_pid));
}

}  // namespace

void end_bed(const BedFolder& folder) {
  const BedLock lock;
  // Beds are made under the lock: one that is not complete has been given up by whoever made it.
  if (!folder.exists() || fs::exists(folder.record())) {
    const BedRecord bed = folder.read();
    end_processes(bed);
    end_router(bed);
  }
  folder.remove();
}

}  // namespace lbsp::wan::bed
