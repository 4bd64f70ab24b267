#include "tools/wan/change.hpp"

#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <thread>

#include "tools/wan/bed/enter.hpp"
#include "tools/wan/network/matrix_file.hpp"
#include "tools/wan/router/counters.hpp"
#include "transport/error.hpp"

namespace lbsp::wan {

using bed::BedFolder;
using bed::BedLock;
using bed::BedRecord;
using network::PairSpecs;
using router::CounterFile;

namespace {

using namespace std::chrono_literals;

/// The router is never busy for so long.
constexpr std::chrono::seconds patience = 5s;

/// Host numbers, or all where none is named.
struct Range {
  int first = 0;
  int last = 0;
};

Range hosts_named(const BedRecord& bed, const std::string& name) {
  const int hosts = static_cast<int>(bed.hosts.size());
  if (name.empty()) return {0, hosts - 1};
  const int index = static_cast<int>(&bed.host(name) - bed.hosts.data());
  return {index, index};
}

PairSpecs changed(const BedRecord& bed, PairSpecs specs, const Change& change) {
  const Range from = hosts_named(bed, change.from);
  const Range to = hosts_named(bed, change.to);
  for (int sender = from.first; sender <= from.last; ++sender) {
    for (int receiver = to.first; receiver <= to.last; ++receiver) {
      auto& spec = specs.at(sender, receiver);
      spec = transport::parse_wan_spec(change.spec, change.reset ? transport::WanSpec{} : spec);
    }
  }
  return specs;
}

PairSpecs network_after(const BedFolder& folder, const BedRecord& bed, const Change& change) {
  const bool part = !change.from.empty() || !change.to.empty();
  if (change.spec.empty() == change.matrix_file.empty())
    throw UsageError("what is to change? give lbsp wan change either --wan SPEC or --matrix FILE");
  if (!change.spec.empty()) return changed(bed, network::read_matrix_file(folder.network_file()), change);
  if (part)
    throw UsageError("--matrix with --from or --to: it says what lies between all hosts: leave them out");
  PairSpecs specs = network::read_matrix_file(change.matrix_file);
  if (specs.hosts() != static_cast<int>(bed.hosts.size())) {
    throw UsageError(fmt::format("{} is for {} hosts, the bed {} has {}: give a matrix of as many",
                                 change.matrix_file, specs.hosts(), bed.name, bed.hosts.size()));
  }
  return specs;
}

void tell_router(const BedFolder& folder, const BedRecord& bed) {
  const auto counters = CounterFile::open(folder.counters(), static_cast<int>(bed.hosts.size()));
  const std::uint64_t before = counters.router().changes.get();
  ::kill(bed.router_pid, SIGHUP);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (counters.router().changes.get() == before) {
    if (!bed.router_alive() || std::chrono::steady_clock::now() > end) {
      throw SystemError(
          fmt::format("the router of the bed {} has not changed the network: {} says why; end the bed "
                      "with {}",
                      bed.name, folder.log().string(), bed::down_command(bed.name)));
    }
    std::this_thread::sleep_for(1ms);
  }
}

}  // namespace

BedRecord change_bed(const BedFolder& folder, const Change& change) {
  const BedLock lock;
  BedRecord bed = folder.read();
  if (!bed.router_alive()) {
    throw UsageError(
        fmt::format("the router of the bed {} (process {}) has died, and its hosts with it: {}, then up "
                    "again",
                    bed.name, bed.router_pid, bed::down_command(bed.name)));
  }
  const PairSpecs specs = network_after(folder, bed, change);
  folder.write_network(network::to_matrix(specs));
  tell_router(folder, bed);
  bed.network = change.matrix_file.empty() ? network::in_words(specs) : "matrix " + change.matrix_file;
  folder.write(bed);
  return bed;
}

}  // namespace lbsp::wan
