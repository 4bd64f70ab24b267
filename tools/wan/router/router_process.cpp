#include "tools/wan/router/router_process.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <grp.h>
#include <linux/close_range.h>
#include <sched.h>
#include <sstream>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "tools/uv/descriptors.hpp"
#include "tools/wan/bed/net_namespace.hpp"
#include "tools/wan/network/matrix_file.hpp"
#include "tools/wan/packets/ip_packet.hpp"
#include "tools/wan/router/router.hpp"
#include "tools/wan/router/tun_device.hpp"
#include "transport/error.hpp"

namespace lbsp::wan::router {

using bed::BedFolder;
using bed::BedHost;
using bed::BedRecord;
using network::PairSpecs;

namespace {

constexpr char ready_mark = '+';
constexpr uid_t nobody = 65534;

void log(const std::string& text) {
  fmt::print("{:%FT%TZ} {}\n", fmt::gmtime(std::time(nullptr)), text);
  std::fflush(stdout);
}

/// No terminal, no descriptors but the log and `ready`, and only SIGTERM and SIGKILL end it.
void detach(const BedFolder& folder, uv::Descriptor& ready) {
  ::setsid();
  const int null = ::open("/dev/null", O_RDONLY);
  const int file = ::open(folder.log().c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (null < 0 || file < 0)
    throw SystemError(fmt::format("{}: {}", folder.log().string(), std::strerror(errno)));
  ::dup2(null, STDIN_FILENO);
  ::dup2(file, STDOUT_FILENO);
  ::dup2(file, STDERR_FILENO);
  constexpr int kept = 3;
  if (ready.get() != kept) {
    ::dup2(ready.get(), kept);
    ready = uv::Descriptor(kept);
  }
  ::close_range(kept + 1, ~0U, 0);
  for (const int number : {SIGINT, SIGQUIT, SIGPIPE})
    std::signal(number, SIG_IGN);
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
  ::prctl(PR_SET_NAME, "lbsp-wan-router");
}

/// A host has a namespace and a device. Which of them finds no descriptor says nothing that helps.
void allow_descriptors(int hosts) {
  constexpr rlim_t for_a_host = 2;
  constexpr rlim_t for_the_router = 8;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t needed = static_cast<rlim_t>(hosts) * for_a_host + for_the_router;
  if (limit.rlim_max < needed) {
    throw SystemError(fmt::format(
        "a bed of {} needs {} open files, and this process may have {}: raise the limit of open files (ulimit -n)",
        hosts == 1 ? "1 host" : fmt::format("{} hosts", hosts), needed, limit.rlim_max));
  }
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

/// The hosts' namespaces and devices, of which the router's own process is to hold the only descriptors.
struct Hosts {
  std::vector<uv::Descriptor> namespaces;
  std::vector<HostDevice> devices;
  std::vector<BedHost> entries;
};

Hosts make_hosts(const BedPlan& plan) {
  Hosts hosts;
  for (int index = 0; index < plan.specs.hosts(); ++index) {
    hosts.namespaces.push_back(bed::new_net_namespace());
    hosts.devices.push_back(
        make_host_device(packets::host_address(index), plan.specs.device_mtu(), plan.offloads));
    struct stat status {};
    ::fstat(hosts.namespaces.back().get(), &status);
    std::array<char, INET_ADDRSTRLEN> address{};
    const in_addr binary{htonl(packets::host_address(index))};
    ::inet_ntop(AF_INET, &binary, address.data(), address.size());
    hosts.entries.push_back(
        {.name = fmt::format("h{}", index),
         .address = address.data(),
         .network = plan.represented.empty() ? "" : plan.represented[static_cast<std::size_t>(index)],
         .descriptor = hosts.namespaces.back().get(),
         .inode = status.st_ino,
         .cookie = bed::net_namespace_cookie()});
  }
  return hosts;
}

/// A router that is not run when a packet is due delays it: real time, before programs on its hosts that are
/// in a hurry too, or else the best there is.
void take_precedence() {
  const sched_param real_time{.sched_priority = 10};
  ::prctl(PR_SET_TIMERSLACK, 1);
  if (::sched_setscheduler(0, SCHED_FIFO, &real_time) == 0) return;
  log("no real-time priority: packets may be late when the machine is busy");
  ::setpriority(PRIO_PROCESS, 0, -20);
}

/// From now on it can move packets between the devices it has, in a network namespace that is empty.
void give_up_privileges() {
  bed::new_net_namespace();
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const bool given = ::chdir("/") == 0 && ::setgroups(0, nullptr) == 0 &&
                     ::setresgid(nobody, nobody, nobody) == 0 && ::setresuid(nobody, nobody, nobody) == 0;
  if (!given)
    throw SystemError(fmt::format("the router cannot give up its privileges: {}", std::strerror(errno)));
}

/// What the file says from its beginning. It is read as text that others have written.
PairSpecs read_network(const uv::Descriptor& file, int hosts) {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t bytes = ::pread(file.get(), part.data(), part.size(), static_cast<off_t>(text.size()));
    if (bytes <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(bytes));
  }
  std::istringstream in(text);
  PairSpecs specs = network::read_matrix(in, "the bed's network");
  if (specs.hosts() != hosts) throw UsageError("the bed's network is for another number of hosts");
  return specs;
}

void change_network(RouterCore& core, const uv::Descriptor& file, int hosts) {
  try {
    core.change(read_network(file, hosts), Router::now());
    log("the network has changed");
  } catch (const Error& error) {
    log(fmt::format("the network stays as it was: {}", error.what()));
  }
}

void route(const BedFolder& folder, const BedPlan& plan, const uv::Descriptor& ready) {
  allow_descriptors(plan.specs.hosts());
  const Hosts hosts = make_hosts(plan);
  CounterFile counters = CounterFile::create(folder.counters(), plan.specs.hosts());
  folder.write_network(network::to_matrix(plan.specs));
  const uv::Descriptor network(::open(folder.network_file().c_str(), O_RDONLY | O_CLOEXEC));
  RouterCore core(plan.specs, plan.seed, plan.tells, counters);
  Router router(core, hosts.devices);
  const int pid = ::getpid();
  folder.write({.name = folder.name(),
                .router_pid = pid,
                .router_start = bed::process_start(pid).value_or(0),
                .network = plan.network,
                .seed = plan.seed,
                .hosts = hosts.entries});
  take_precedence();
  give_up_privileges();
  log(fmt::format("{} hosts: {}", plan.specs.hosts(), plan.network));
  // Whoever asked for the bed may be gone; then it is as if the router had died.
  if (::write(ready.get(), &ready_mark, 1) != 1) return;
  router.run([&] { change_network(core, network, plan.specs.hosts()); });
  log("ended");
}

[[noreturn]] void run_router(const BedFolder& folder, const BedPlan& plan, uv::Descriptor ready) {
  int code = 0;
  try {
    detach(folder, ready);
    route(folder, plan, ready);
  } catch (const std::exception& error) {
    log(error.what());
    const std::string problem = error.what();
    (void)!::write(ready.get(), problem.data(), problem.size());
    code = 1;
  }
  // Not exit(): what other parts of the process want done at its end is the parent's.
  std::fflush(stdout);
  ::_exit(code);
}

std::string read_all(int descriptor, bool& ready) {
  std::string text;
  std::array<char, 512> part{};
  for (;;) {
    const ssize_t bytes = ::read(descriptor, part.data(), part.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(bytes));
    ready = text.front() == ready_mark;
    if (ready) return {};
  }
}

}  // namespace

BedRecord start_router(const BedFolder& folder, const BedPlan& plan) {
  auto pipe = uv::pipe_from_child();
  const pid_t pid = ::fork();
  if (pid < 0) throw SystemError(fmt::format("cannot start the router: {}", std::strerror(errno)));
  if (pid == 0) run_router(folder, plan, std::move(pipe.childs));
  pipe.childs = uv::Descriptor();
  bool ready = false;
  const std::string problem = read_all(pipe.ours.get(), ready);
  if (ready) return folder.read();
  ::waitpid(pid, nullptr, 0);
  throw SystemError(problem.empty() ? "the router ended at once: is there enough memory?" : problem);
}

}  // namespace lbsp::wan::router
