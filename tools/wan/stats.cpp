#include "tools/wan/stats.hpp"

#include <fmt/format.h>
#include <fstream>
#include <numeric>
#include <sstream>
#include <unistd.h>

#include "tools/wan/bed/enter.hpp"
#include "tools/wan/bed/net_namespace.hpp"
#include "tools/wan/router/tun_device.hpp"
#include "transport/quantity.hpp"

namespace lbsp::wan {

using bed::BedFolder;
using bed::BedHost;
using bed::BedRecord;
using router::CounterFile;
using router::PairCounters;

namespace {

// Waking up for a timer takes that much of a busy machine's time; a bed promises no more.
constexpr double most_mean_lateness = 0.2e-3;

PairCounts read_pair(const PairCounters& counters) {
  return {.offered = counters.offered.get(),
          .offered_bytes = counters.offered_bytes.get(),
          .delivered = counters.delivered.get(),
          .delivered_bytes = counters.delivered_bytes.get(),
          .too_long = counters.too_long.get(),
          .lost = counters.lost.get(),
          .queue_drops = counters.queue_drops.get(),
          .downlink_drops = counters.downlink_drops.get(),
          .reordered = counters.reordered.get(),
          .duplicated = counters.duplicated.get(),
          .corrupted = counters.corrupted.get(),
          .marked = counters.marked.get(),
          .late = counters.late.get(),
          .lateness = counters.lateness.get(),
          .longest_lateness = counters.longest_lateness.get(),
          .discarded = counters.discarded.get(),
          .refused = counters.refused.get()};
}

void read_processor_time(const BedRecord& bed, BedCounts& counts) {
  // Nanoseconds on a processor, nanoseconds waiting for one (kernel: scheduler/sched-stats).
  std::ifstream in(fmt::format("/proc/{}/schedstat", bed.router_pid));
  double run = 0;
  double waited = 0;
  if (!(in >> run >> waited)) return;
  counts.router_seconds = run * 1e-9;
  counts.router_waited = waited * 1e-9;
}

void read_device_drops(const BedRecord& bed, BedCounts& counts) {
  const auto own = bed::current_net_namespace();
  for (const BedHost& host : bed.hosts) {
    bed::enter_host(bed, host);
    counts.device_drops.push_back(router::device_queue_drops());
  }
  bed::enter_net_namespace(own.get());
}

}  // namespace

PairCounts& PairCounts::operator+=(const PairCounts& other) {
  offered += other.offered;
  offered_bytes += other.offered_bytes;
  delivered += other.delivered;
  delivered_bytes += other.delivered_bytes;
  too_long += other.too_long;
  lost += other.lost;
  queue_drops += other.queue_drops;
  downlink_drops += other.downlink_drops;
  reordered += other.reordered;
  duplicated += other.duplicated;
  corrupted += other.corrupted;
  marked += other.marked;
  late += other.late;
  lateness += other.lateness;
  longest_lateness = std::max(longest_lateness, other.longest_lateness);
  discarded += other.discarded;
  refused += other.refused;
  return *this;
}

const PairCounts& BedCounts::pair(int from, int to) const {
  return pairs[static_cast<std::size_t>(from) * static_cast<std::size_t>(hosts) +
               static_cast<std::size_t>(to)];
}

PairCounts BedCounts::sent_by(int host) const {
  PairCounts sum;
  for (int to = 0; to < hosts; ++to)
    sum += pair(host, to);
  return sum;
}

PairCounts BedCounts::sent_to(int host) const {
  PairCounts sum;
  for (int from = 0; from < hosts; ++from)
    sum += pair(from, host);
  return sum;
}

PairCounts BedCounts::total() const {
  PairCounts sum;
  for (const PairCounts& each : pairs)
    sum += each;
  return sum;
}

std::uint64_t BedCounts::all_device_drops() const {
  return std::accumulate(device_drops.begin(), device_drops.end(), std::uint64_t{0});
}

std::string BedCounts::shortcomings() const {
  const PairCounts sum = total();
  std::string text;
  const auto add = [&](std::uint64_t packets, const char* what) {
    if (packets > 0) text += fmt::format("{}{} packets {}", text.empty() ? "" : ", ", packets, what);
  };
  add(all_device_drops(), "dropped before it read them");
  add(sum.discarded, "discarded because it held too many");
  add(sum.refused, "refused by their host's kernel");
  const double lateness = static_cast<double>(sum.lateness) * 1e-9;
  if (lateness > most_mean_lateness * static_cast<double>(sum.delivered)) {
    add(sum.late,
        fmt::format("late by more than {}", transport::format_duration(router::late_after)).c_str());
  }
  return text;
}

BedCounts count(const BedFolder& folder, const BedRecord& bed) {
  BedCounts counts;
  counts.hosts = static_cast<int>(bed.hosts.size());
  const CounterFile file = CounterFile::open(folder.counters(), counts.hosts);
  for (int from = 0; from < counts.hosts; ++from) {
    for (int to = 0; to < counts.hosts; ++to)
      counts.pairs.push_back(read_pair(file.pair(from, to)));
  }
  counts.held = file.router().held.get();
  counts.most_held = file.router().most_held.get();
  counts.unroutable = file.router().unroutable.get();
  if (bed.router_alive()) {
    read_processor_time(bed, counts);
    read_device_drops(bed, counts);
  }
  return counts;
}

}  // namespace lbsp::wan
