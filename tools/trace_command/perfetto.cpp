#include "tools/trace_command/perfetto.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace lbsp::trace_command {
namespace {

using nlohmann::ordered_json;
using trace_file::Step;
using trace_file::Times;

constexpr double microseconds = 1e6;  // the viewer's unit

/// Writes one event after another: all of them together would take ten times the memory of the text.
class Events {
 public:
  explicit Events(double origin) : origin_(origin) {}

  void add(const ordered_json& event) {
    text_ += text_.empty() ? "" : ",\n";
    text_ += event.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

  void slice(const char* name, std::size_t rank, double from, double to, const ordered_json& about) {
    add({{"name", name},
         {"ph", "X"},
         {"ts", time(from)},
         {"dur", std::max(0.0, (to - from) * microseconds)},
         {"pid", 0},
         {"tid", rank},
         {"args", about}});
  }

  void counter(const std::string& name, double at, const char* unit, double value) {
    add({{"name", name}, {"ph", "C"}, {"ts", time(at)}, {"pid", 0}, {"args", {{unit, value}}}});
  }

  /// From a slice of one rank that is there at the time to one of another.
  void arrow(std::size_t from, double sent, std::size_t to, double came) {
    ++arrows_;
    add({{"name", "waited for"},
         {"cat", "message"},
         {"ph", "s"},
         {"id", arrows_},
         {"ts", time(sent)},
         {"pid", 0},
         {"tid", from}});
    add({{"name", "waited for"},
         {"cat", "message"},
         {"ph", "f"},
         {"bp", "e"},
         {"id", arrows_},
         {"ts", time(came)},
         {"pid", 0},
         {"tid", to}});
  }

  const std::string& text() const { return text_; }

 private:
  double time(double seconds) const { return (seconds - origin_) * microseconds; }

  double origin_;
  std::string text_;
  std::size_t arrows_ = 0;
};

/// Who called sync() last in this superstep.
std::size_t last_caller(const trace_file::TimeLines& lines, std::size_t k) {
  const auto last = std::ranges::max_element(lines.steps, {}, [k](const std::vector<Times>& of_rank) {
    return k < of_rank.size() ? of_rank[k].called : -std::numeric_limits<double>::infinity();
  });
  return static_cast<std::size_t>(last - lines.steps.begin());
}

void add_step(Events& events, const trace_file::Trace& trace, const trace_file::TimeLines& lines,
              std::size_t rank, std::size_t k, std::size_t last) {
  const Step& step = trace.steps[rank][k];
  const Times& times = lines.steps[rank][k];
  events.slice("computing", rank, times.began, times.called,
               {{"superstep", step.first}, {"supersteps", step.supersteps}, {"cpu", step.cpu}});
  ordered_json waiting = {{"superstep", step.first}, {"bytes", step.bytes()}, {"resent", step.resent}};
  if (step.predicted) waiting["predicted"] = *step.predicted;
  if (last != rank) waiting["waited for rank"] = last;
  events.slice("waiting", rank, times.called, times.came, waiting);
  if (times.ended > times.came)
    events.slice("taking apart", rank, times.came, times.ended, {{"superstep", step.first}});
  if (last != rank && step.supersteps == 1)
    events.arrow(last, std::min(lines.steps[last][k].called, times.came), rank, times.came);
  const auto name = [rank](const char* what) { return fmt::format("{} of rank {}", what, rank); };
  if (trace.ends[rank].network_cpu.value_or(0) > 0 && step.network_cpu)
    events.counter(name("network thread"), times.ended, "ms of a processor", 1e3 * *step.network_cpu);
  const bool measured = step.network.round_trip > 0;
  if (measured) {
    events.counter(name("loss"), times.ended, "percent", 100 * step.network.loss);
    events.counter(name("round trip"), times.ended, "ms", 1e3 * step.network.round_trip);
    events.counter(name("rate"), times.ended, "Mbit/s", 8e-6 * step.network.rate);
  }
  if (measured || step.redundant > 0 || step.resent > 0) {
    events.counter(name("redundancy"), times.ended, "segments", static_cast<double>(step.redundant));
    events.counter(name("resent"), times.ended, "segments", static_cast<double>(step.resent));
  }
}

double origin_of(const trace_file::TimeLines& lines) {
  double out = 0;
  for (const double shift : lines.shifts)
    out = std::min(out, shift);
  return out;
}

}  // namespace

std::string to_perfetto(const trace_file::Trace& trace, const trace_file::TimeLines& lines) {
  Events events(origin_of(lines));
  events.add({{"name", "process_name"}, {"ph", "M"}, {"pid", 0}, {"args", {{"name", trace.program}}}});
  ordered_json errors = ordered_json::array();
  ordered_json network_threads = ordered_json::array();
  for (std::size_t rank = 0; rank < trace.ends.size(); ++rank) {
    const std::string name = fmt::format("rank {} on {}", rank, trace.ends[rank].host);
    events.add({{"name", "thread_name"}, {"ph", "M"}, {"pid", 0}, {"tid", rank}, {"args", {{"name", name}}}});
    errors.push_back(std::isfinite(lines.errors[rank]) ? ordered_json(lines.errors[rank])
                                                       : ordered_json(nullptr));
    const auto& network_cpu = trace.ends[rank].network_cpu;
    network_threads.push_back(network_cpu ? ordered_json(*network_cpu) : ordered_json(nullptr));
  }
  const std::size_t most = std::ranges::max_element(trace.steps, {}, &std::vector<Step>::size)->size();
  for (std::size_t k = 0; k < most; ++k) {
    const std::size_t last = last_caller(lines, k);
    for (std::size_t rank = 0; rank < trace.steps.size(); ++rank)
      if (k < trace.steps[rank].size()) add_step(events, trace, lines, rank, k, last);
  }
  const ordered_json about = {{"program", trace.program},
                              {"ranks", trace.ranks()},
                              {"backend", trace.backend},
                              {"finished", trace.finished},
                              {"clock error of each rank in seconds", errors},
                              {"processor seconds of each rank's network thread", network_threads}};
  return fmt::format("{{\"displayTimeUnit\":\"ms\",\"otherData\":{},\"traceEvents\":[\n{}\n]}}\n",
                     about.dump(-1, ' ', false, ordered_json::error_handler_t::replace), events.text());
}

}  // namespace lbsp::trace_command
