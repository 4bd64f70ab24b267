#include "tools/trace_file/trace.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/profile/json_place.hpp"
#include "tools/trace_file/version.hpp"
#include "transport/error.hpp"
#include "transport/printable.hpp"
#include "transport/wire/format.hpp"

namespace lbsp::trace_file {
namespace {

using nlohmann::json;
using profile::JsonPlace;

constexpr std::int64_t most = std::int64_t{1} << 53;
constexpr double most_bytes = 1e18;
/// Of bytes per second: a byte in the longest time, and more than any link.
constexpr double least_rate = 1 / most_seconds;
constexpr double most_rate = 1e18;
/// Times are differences of sums: what is less than this apart is the same.
constexpr double rounding_seconds = 1e-6;
constexpr double rounding_share = 1e-6;

constexpr auto again = "record the run again with lbsp run --trace";

bool is_longer(double part, double whole) {
  return part > whole * (1 + rounding_share) + rounding_seconds;
}

JsonPlace member(const JsonPlace& of, const char* key) {
  return of.member(key, again);
}

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

Rank rank_in(const JsonPlace& place) {
  return static_cast<Rank>(place.whole_number(0, transport::max_ranks - 1));
}

Network network_in(const JsonPlace& line) {
  const JsonPlace network = member(line, "network");
  return {member(network, "loss").probability(), seconds(network, "rtt"), rate(network, "rate"),
          rate(network, "bandwidth")};
}

std::vector<BytesTo> bytes_in(const JsonPlace& line) {
  std::vector<BytesTo> out;
  for (const JsonPlace& pair : member(line, "to").items()) {
    const auto items = pair.items();
    if (items.size() != 2) pair.fail("give a rank and its bytes");
    out.push_back({rank_in(items[0]), items[1].number_within(0, most_bytes)});
  }
  return out;
}

Step step_in(const JsonPlace& line) {
  Step out;
  out.first = static_cast<std::uint64_t>(member(line, "superstep").whole_number(0, most));
  out.supersteps = static_cast<std::uint64_t>(member(line, "supersteps").whole_number(1, most));
  out.compute = seconds(line, "compute");
  out.communicate = seconds(line, "communicate");
  out.cpu = seconds(line, "cpu");
  out.waiting = seconds(line, "waiting");
  if (const auto predicted = line.find("predicted")) out.predicted = predicted->number_of_at_least(0);
  out.resent =
      static_cast<std::uint64_t>(member(member(line, "packets"), "retransmitted").whole_number(0, most));
  out.to = bytes_in(line);
  out.network = network_in(line);
  if (is_longer(out.cpu, out.compute))
    line.fail(fmt::format("it used the processor for {} s of {} s: {}", out.cpu, out.compute, again));
  if (is_longer(out.waiting, out.communicate))
    line.fail(fmt::format("it waited for {} s of {} s: {}", out.waiting, out.communicate, again));
  return out;
}

/// What the line of a rank's end says of the job, which is the same for all.
struct Job {
  Rank ranks = 0;
  std::string program;
  std::vector<std::string> arguments;
  std::string backend;
  bool finished = true;

  friend bool operator==(const Job&, const Job&) = default;
};

Job job_in(const JsonPlace& line) {
  const JsonPlace job = member(line, "job");
  return {static_cast<Rank>(member(job, "ranks").whole_number(1, transport::max_ranks)), text(job, "program"),
          texts(job, "arguments"), text(job, "backend"), member(job, "finished").truth()};
}

End end_in(const JsonPlace& line) {
  End out;
  out.host = text(member(line, "job"), "host");
  out.told = member(line, "told").truth();
  if (!out.told) return out;
  const JsonPlace whole = member(line, "seconds");
  out.total = seconds(whole, "total");
  out.start = seconds(whole, "start");
  out.communicate = std::max(0.0, member(line, "communicate").number_within(-most_seconds, most_seconds));
  out.compute = std::max(0.0, member(line, "compute").number_within(-most_seconds, most_seconds));
  if (const auto cpu = line.find("cpu")) {
    out.cpu = seconds(*cpu);
    out.network = network_in(line);
  }
  return out;
}

/// Puts the lines together, which come in the order in which the ranks ended.
class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  void take(const std::string& text) {
    const std::string source = fmt::format("{}, line {}", name_, ++lines_);
    const json parsed = json::parse(text, nullptr, false);
    if (!parsed.is_object())
      throw UsageError(fmt::format("{}: this is no line of a trace: {}", source, again));
    const JsonPlace line(parsed, source);
    require_version(line);
    const auto rank = static_cast<std::size_t>(rank_in(member(line, "rank")));
    if (steps_.size() <= rank) steps_.resize(rank + 1);
    if (line.find("superstep")) {
      add(steps_[rank], step_in(line), line);
    } else {
      end(rank, line);
    }
  }

  Trace trace() && {
    if (lines_ == 0) fail(fmt::format("it is empty: {}", again));
    const auto ended = std::ranges::count_if(ends_, [](const auto& end) { return end.has_value(); });
    if (!job_ || ended < job_->ranks)
      fail(fmt::format("it is cut short, as only {} of its ranks end in it: {}", ended, again));
    if (steps_.size() > static_cast<std::size_t>(job_->ranks))
      fail(fmt::format("the ranks disagree: there is a rank {} of {}: {}", steps_.size() - 1, job_->ranks,
                       again));
    Trace out{job_->program, job_->arguments, job_->backend, job_->finished, std::move(steps_), {}};
    out.steps.resize(static_cast<std::size_t>(job_->ranks));
    for (const auto& end : ends_)
      out.ends.push_back(*end);
    keep_common(out);
    require_possible(out);
    // A rank that did not come to its end has told of the network with each superstep only.
    for (std::size_t rank = 0; rank < out.ends.size(); ++rank)
      if (out.ends[rank].network.round_trip <= 0 && !out.steps[rank].empty())
        out.ends[rank].network = out.steps[rank].back().network;
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw UsageError(fmt::format("{}: {}", name_, what));
  }

  static void require_version(const JsonPlace& line) {
    const auto version = line.find("version");
    const std::int64_t found = version ? version->whole_number(0, most) : 1;
    if (found != trace_version)
      line.fail(fmt::format("it is of a trace of version {}, and this lbsp reads version {}: {}", found,
                            trace_version, again));
  }

  static void add(std::vector<Step>& steps, Step step, const JsonPlace& line) {
    const std::uint64_t expected = steps.empty() ? 0 : steps.back().first + steps.back().supersteps;
    if (step.first != expected)
      line.fail(fmt::format("superstep {} comes where {} is expected: {}", step.first, expected, again));
    steps.push_back(std::move(step));
  }

  void end(std::size_t rank, const JsonPlace& line) {
    const Job job = job_in(line);
    if (!job_) job_ = job;
    if (job != *job_ || rank >= static_cast<std::size_t>(job.ranks))
      line.fail(fmt::format("the ranks disagree about the job: {}", again));
    ends_.resize(static_cast<std::size_t>(job.ranks));
    if (ends_[rank]) line.fail(fmt::format("rank {} ends twice: {}", rank, again));
    ends_[rank] = end_in(line);
  }

  void keep_common(Trace& trace) const {
    std::size_t common = trace.steps.front().size();
    for (const auto& steps : trace.steps)
      common = std::min(common, steps.size());
    for (auto& steps : trace.steps) {
      const bool alike = std::equal(
          steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(common), trace.steps.front().begin(),
          [](const Step& a, const Step& b) { return a.first == b.first && a.supersteps == b.supersteps; });
      if (trace.finished && (!alike || steps.size() != common))
        fail(fmt::format("the ranks disagree about the supersteps: {}", again));
      steps.resize(common);
    }
    // Of a job that was stopped where some ranks had joined their records, none are of the same supersteps.
    while (!trace.finished && !trace.steps.front().empty() && !same_last(trace))
      for (auto& steps : trace.steps)
        steps.pop_back();
  }

  static bool same_last(const Trace& trace) {
    const Step& first = trace.steps.front().back();
    return std::ranges::all_of(trace.steps, [&](const auto& steps) {
      return steps.back().first == first.first && steps.back().supersteps == first.supersteps;
    });
  }

  void require_possible(const Trace& trace) const {
    for (std::size_t rank = 0; rank < trace.steps.size(); ++rank) {
      const End& end = trace.ends[rank];
      double sum = 0;
      for (const Step& step : trace.steps[rank]) {
        sum += step.compute + step.communicate;
        for (const BytesTo& to : step.to)
          if (to.rank >= trace.ranks() || static_cast<std::size_t>(to.rank) == rank)
            fail(fmt::format("rank {} sends to rank {} of {}: {}", rank, to.rank, trace.ranks(), again));
      }
      if (end.told && is_longer(sum, end.total))
        fail(fmt::format("the supersteps of rank {} take {} s, and the whole job {} s: {}", rank, sum,
                         end.total, again));
    }
  }

  const std::string& name_;
  std::size_t lines_ = 0;
  std::vector<std::vector<Step>> steps_;
  std::vector<std::optional<End>> ends_;
  std::optional<Job> job_;
};

}  // namespace

std::uint64_t Trace::supersteps() const {
  if (steps.empty() || steps.front().empty()) return 0;
  return steps.front().back().first + steps.front().back().supersteps;
}

double Trace::measured() const {
  double out = 0;
  for (const End& end : ends)
    out = std::max(out, end.total);
  return out;
}

Trace parse_trace(const std::string& text, const std::string& name) {
  Reader reader(name);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string::npos)
      throw UsageError(fmt::format("{}: it is cut short, in the middle of its last line: {}", name, again));
    reader.take(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return std::move(reader).trace();
}

}  // namespace lbsp::trace_file
