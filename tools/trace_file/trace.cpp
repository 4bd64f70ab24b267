#include "tools/trace_file/trace.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tools/command_line/json_nesting.hpp"
#include "tools/command_line/memory_end.hpp"
#include "tools/profile/file_kind.hpp"
#include "tools/profile/json_place.hpp"
#include "tools/trace_file/trace_lines.hpp"
#include "tools/trace_file/version.hpp"
#include "transport/error.hpp"

namespace lbsp::trace_file {
namespace {

using nlohmann::json;
using profile::JsonPlace;

/// What a rank sends 65535 others takes 2 MB. As JSON a line takes up to forty times its length, and where memory runs
/// out then, nothing can be said any more.
constexpr std::size_t longest_line = std::size_t{16} << 20;

/// Puts the lines together, which come in the order in which the ranks ended.
class Reader {
 public:
  explicit Reader(const std::string& name) : name_(name) {}

  void take(const std::string& text) {
    const std::string source = fmt::format("{}, line {}", name_, ++lines_);
    if (text.size() > longest_line)
      throw UsageError(
          fmt::format("{}: it has {} bytes, more than any line of a trace: {}", source, text.size(), again));
    const json parsed = json::parse(text, nullptr, false);
    if (!parsed.is_object())
      throw UsageError(fmt::format("{}: this is no line of a trace: {}", source, again));
    const JsonPlace line(parsed, source);
    require_version(line);
    const auto rank = static_cast<std::size_t>(rank_in(member(line, "rank")));
    if (steps_.size() <= rank) steps_.resize(rank + 1);
    if (const auto events = parsed.find("events"); events != parsed.end()) {
      add_events(rank, *events, line);
    } else if (line.find("superstep")) {
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
    Trace out{job_->program,      job_->arguments, job_->backend, job_->finished, std::move(steps_), {},
              std::move(packets_)};
    out.reason = job_->reason;
    out.packets.resize(static_cast<std::size_t>(job_->ranks));
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
    if (!version && !line.find("rank")) line.fail(fmt::format("this is no line of a trace: {}", again));
    if (!version)
      line.fail(fmt::format("it says no version, and this lbsp reads version {}: {}", trace_version, again));
    const std::int64_t found = version->whole_number(0, most);
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

  void add_events(std::size_t rank, const json& events, const JsonPlace& line) {
    if (packets_.size() <= rank) packets_.resize(rank + 1);
    if (!events.is_array()) line.fail(fmt::format("its events are no list: {}", again));
    Packets& packets = packets_[rank];
    packets.dropped += static_cast<std::uint64_t>(member(line, "dropped").whole_number(0, most));
    for (const json& each : events) {
      const auto event = packet_event_in(each);
      if (!event || static_cast<std::size_t>(event->peer) == rank)
        line.fail(fmt::format("its {}. event cannot be: {}", &each - &events.front() + 1, again));
      packets.events.push_back(*event);
    }
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

  /// Those whose supersteps are kept: a rank that was lost before it could tell anything has none, and takes none away
  /// from the others.
  static std::vector<std::vector<Step>*> of_those_who_told(Trace& trace) {
    std::vector<std::vector<Step>*> out;
    for (std::size_t rank = 0; rank < trace.steps.size(); ++rank)
      if (trace.ends[rank].told || !trace.steps[rank].empty()) out.push_back(&trace.steps[rank]);
    return out;
  }

  void keep_common(Trace& trace) const {
    const auto told = of_those_who_told(trace);
    if (told.empty()) return;
    std::size_t common = told.front()->size();
    for (const auto* steps : told)
      common = std::min(common, steps->size());
    for (auto* steps : told) {
      const bool alike = std::equal(
          steps->begin(), steps->begin() + static_cast<std::ptrdiff_t>(common), told.front()->begin(),
          [](const Step& a, const Step& b) { return a.first == b.first && a.supersteps == b.supersteps; });
      if (trace.finished && (!alike || steps->size() != common))
        fail(fmt::format("the ranks disagree about the supersteps: {}", again));
      steps->resize(common);
    }
    // Of a job that was stopped where some ranks had joined their records, none are of the same supersteps.
    while (!trace.finished && !told.front()->empty() && !same_last(told))
      for (auto* steps : told)
        steps->pop_back();
  }

  static bool same_last(const std::vector<std::vector<Step>*>& told) {
    const Step& first = told.front()->back();
    return std::ranges::all_of(told, [&](const auto* steps) {
      return steps->back().first == first.first && steps->back().supersteps == first.supersteps;
    });
  }

  void require_possible(const Trace& trace) const {
    for (std::size_t rank = 0; rank < trace.steps.size(); ++rank) {
      const End& end = trace.ends[rank];
      require_ranks(trace, rank);
      double sum = 0;
      for (const Step& step : trace.steps[rank])
        sum += step.compute + step.communicate;
      if (end.told && is_longer(sum, end.total))
        fail(fmt::format("the supersteps of rank {} take {} s, and the whole job {} s: {}", rank, sum,
                         end.total, again));
    }
  }

  /// That a rank speaks of others only.
  void require_ranks(const Trace& trace, std::size_t rank) const {
    const auto require = [&](Rank other, const char* does) {
      if (other >= trace.ranks() || static_cast<std::size_t>(other) == rank)
        fail(fmt::format("rank {} {} rank {} of {}: {}", rank, does, other, trace.ranks(), again));
    };
    for (const Step& step : trace.steps[rank])
      for (const BytesTo& to : step.to)
        require(to.rank, "sends to");
    for (const LostFrom& from : trace.ends[rank].lost_from)
      require(from.rank, "has lost what came from");
    for (const PacketEvent& event : trace.packets[rank].events)
      require(event.peer, "has datagrams of");
  }

  const std::string& name_;
  std::size_t lines_ = 0;
  std::vector<std::vector<Step>> steps_;
  std::vector<std::optional<End>> ends_;
  std::vector<Packets> packets_;
  std::optional<Job> job_;
};

}  // namespace

double Step::bytes() const {
  double out = 0;
  for (const BytesTo& each : to)
    out += each.bytes;
  return out;
}

std::uint64_t Trace::supersteps() const {
  std::uint64_t out = 0;
  for (const auto& of_rank : steps)
    if (!of_rank.empty()) out = std::max(out, of_rank.back().first + of_rank.back().supersteps);
  return out;
}

bool Trace::on_one_host() const {
  return std::ranges::all_of(ends, [this](const End& end) { return end.host == ends.front().host; });
}

double Trace::measured() const {
  double out = 0;
  for (const End& end : ends)
    out = std::max(out, end.total);
  return out;
}

Trace parse_trace(const std::string& text, const std::string& name) {
  const command_line::MemoryEnd guard;
  command_line::require_shallow(text, name);
  if (const auto kind = profile::kind_of_file(text);
      kind == profile::FileKind::report || kind == profile::FileKind::profile)
    throw UsageError(fmt::format("{}: this is {}, and no trace: give one that lbsp run --trace has written",
                                 name, profile::name_of(kind)));
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
