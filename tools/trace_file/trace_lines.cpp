#include "tools/trace_file/trace_lines.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "transport/printable.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::trace_file {

using profile::JsonPlace;

namespace {

constexpr double most_bytes = 1e18;
/// Of bytes per second: a byte in the longest time, and more than any link.
constexpr double least_rate = 1 / most_seconds;
/// Times are differences of sums: what is less than this apart is the same.
constexpr double rounding_seconds = 1e-6;
constexpr double rounding_share = 1e-6;

double seconds(const JsonPlace& place) {
  return place.number_within(0, most_seconds);
}

double seconds(const JsonPlace& of, const char* key) {
  return seconds(member(of, key));
}

/// Bytes per second; 0 is one that was not measured.
double rate(const JsonPlace& of, const char* key) {
  const JsonPlace place = member(of, key);
  const double value = place.number_within(0, most_rate);
  if (value > 0 && value < least_rate) place.fail(fmt::format("give 0, or {:g} or more", least_rate));
  return value;
}

/// Others have written the file: what a text does to a terminal must not depend on it.
std::string text(const JsonPlace& of, const char* key) {
  return printable(member(of, key).text());
}

/// Empty if there are none.
std::vector<std::string> texts(const JsonPlace& of, const char* key) {
  std::vector<std::string> out;
  if (const auto list = of.find(key))
    for (const JsonPlace& item : list->items())
      out.push_back(printable(item.text()));
  return out;
}

Network network_in(const JsonPlace& line) {
  const JsonPlace network = member(line, "network");
  return {member(network, "loss").probability(), seconds(network, "rtt"), rate(network, "rate"),
          rate(network, "bandwidth")};
}

/// What nobody reads must still be possible: a trace that is wrong in one place is not believed in another.
void require_counts(const JsonPlace& of, std::initializer_list<const char*> keys) {
  for (const char* const key : keys)
    if (const auto place = of.find(key)) place->whole_number(0, most);
}

/// None without a prediction, which is within it.
std::optional<Interval> interval_in(const JsonPlace& line, std::optional<double> predicted) {
  const auto interval = line.find("interval");
  if (!interval || !predicted) return std::nullopt;
  const auto ends = interval->items();
  if (ends.size() != 2) interval->fail("give two times");
  const Interval out{seconds(ends[0]), seconds(ends[1])};
  if (is_longer(out.from, *predicted) || is_longer(*predicted, out.to))
    interval->fail(fmt::format("{} s was predicted, which is not within: {}", *predicted, again));
  return out;
}

void require_figures(const JsonPlace& line) {
  require_counts(line, {"h", "copies", "rounds"});
  if (const auto packets = line.find("packets"))
    require_counts(*packets, {"sent", "retransmitted", "copies", "coded", "received", "duplicate", "rejected",
                              "overflowed"});
  if (const auto bytes = line.find("bytes")) require_counts(*bytes, {"payload", "wire"});
}

std::uint64_t redundant_in(const JsonPlace& packets) {
  std::uint64_t out = 0;
  for (const char* kind : {"copies", "coded"})
    if (const auto count = packets.find(kind))
      out += static_cast<std::uint64_t>(count->whole_number(0, most));
  return out;
}

std::vector<BytesTo> bytes_in(const JsonPlace& line) {
  std::vector<BytesTo> out;
  for (const JsonPlace& pair : member(line, "to").items()) {
    const auto items = pair.items();
    if (items.size() != 2) pair.fail("give a rank and its bytes");
    const BytesTo to{rank_in(items[0]), items[1].number_within(0, most_bytes)};
    if (std::ranges::find(out, to.rank, &BytesTo::rank) != out.end())
      pair.fail(fmt::format("rank {} is there twice: {}", to.rank, again));
    out.push_back(to);
  }
  return out;
}

/// What the rank lost of what each other sent it.
std::vector<LostFrom> losses_in(const JsonPlace& line) {
  std::vector<LostFrom> out;
  const auto list = line.find("from");
  if (!list) return out;
  for (const JsonPlace& path : list->items()) {
    const auto items = path.items();
    if (items.size() != 3) path.fail("give a rank, its datagrams and how many were lost");
    const std::int64_t datagrams = items[1].whole_number(0, most);
    out.push_back({rank_in(items[0]), static_cast<std::uint64_t>(datagrams),
                   static_cast<std::uint64_t>(items[2].whole_number(0, datagrams))});
  }
  return out;
}

}  // namespace

JsonPlace member(const JsonPlace& of, const char* key) {
  return of.member(key, again);
}

Rank rank_in(const JsonPlace& place) {
  return static_cast<Rank>(place.whole_number(0, transport::max_ranks - 1));
}

bool is_longer(double part, double whole) {
  return part > whole * (1 + rounding_share) + rounding_seconds;
}

Step step_in(const JsonPlace& line) {
  require_figures(line);
  Step out;
  out.first = static_cast<std::uint64_t>(member(line, "superstep").whole_number(0, most));
  out.supersteps = static_cast<std::uint64_t>(member(line, "supersteps").whole_number(1, most));
  out.compute = seconds(line, "compute");
  out.communicate = seconds(line, "communicate");
  out.cpu = seconds(line, "cpu");
  if (const auto network_cpu = line.find("network_cpu")) out.network_cpu = seconds(*network_cpu);
  out.waiting = seconds(line, "waiting");
  if (const auto predicted = line.find("predicted"))
    out.predicted = predicted->number_within(0, most_seconds);
  out.interval = interval_in(line, out.predicted);
  const JsonPlace packets = member(line, "packets");
  out.resent = static_cast<std::uint64_t>(member(packets, "retransmitted").whole_number(0, most));
  out.redundant = redundant_in(packets);
  out.to = bytes_in(line);
  out.network = network_in(line);
  if (is_longer(out.cpu, out.compute))
    line.fail(fmt::format("it used the processor for {} s of {} s: {}", out.cpu, out.compute, again));
  if (is_longer(out.waiting, out.communicate))
    line.fail(fmt::format("it waited for {} s of {} s: {}", out.waiting, out.communicate, again));
  return out;
}

Job job_in(const JsonPlace& line) {
  const JsonPlace job = member(line, "job");
  const auto reason = job.find("reason");
  return {static_cast<Rank>(member(job, "ranks").whole_number(1, transport::max_ranks)),
          text(job, "program"),
          texts(job, "arguments"),
          text(job, "backend"),
          member(job, "finished").truth(),
          reason ? printable(reason->text()) : ""};
}

End end_in(const JsonPlace& line) {
  End out;
  out.host = text(member(line, "job"), "host");
  out.told = member(line, "told").truth();
  require_figures(line);
  if (!out.told) return out;
  const JsonPlace whole = member(line, "seconds");
  out.total = seconds(whole, "total");
  out.start = seconds(whole, "start");
  for (const char* const key : {"compute", "communicate", "end"})
    if (const auto place = whole.find(key)) place->number_within(-most_seconds, most_seconds);
  out.communicate = std::max(0.0, member(line, "communicate").number_within(-most_seconds, most_seconds));
  out.compute = std::max(0.0, member(line, "compute").number_within(-most_seconds, most_seconds));
  out.lost_from = losses_in(line);
  if (const auto cpu = line.find("cpu")) {
    out.cpu = seconds(*cpu);
    out.network = network_in(line);
  }
  if (const auto network_cpu = line.find("network_cpu")) {
    out.network_cpu = seconds(*network_cpu);
    // Ranks of one host have a second thread, which shows that they live.
    const double job = 2 * (out.start + out.total);
    if (is_longer(*out.network_cpu, job))
      network_cpu->fail(fmt::format("two threads had a processor for no more than {} s: {}", job, again));
  }
  return out;
}

}  // namespace lbsp::trace_file
