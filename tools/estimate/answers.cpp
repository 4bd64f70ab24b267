#include "tools/estimate/answers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

#include "tools/estimate/model_estimates.hpp"
#include "tools/estimate/path_json.hpp"
#include "transport/counted.hpp"
#include "transport/quantity.hpp"

namespace lbsp::estimate {
namespace {

using model::critical_path::Estimate;
using model::critical_path::Kind;
using Json = nlohmann::ordered_json;

/// The sum of the path's stretches of one kind.
double part_of(const Estimate& found, Kind kind) {
  double out = 0;
  for (const auto& stretch : found.path)
    if (stretch.kind == kind) out += stretch.seconds;
  return out;
}

std::string within(const std::optional<Interval>& interval) {
  if (!interval) return "";
  return fmt::format(", from {} to {} in nine of ten runs", time_text(interval->from),
                     time_text(interval->to));
}

std::string path_text(const trace_file::Trace& trace, const Estimate& found) {
  std::string text =
      fmt::format("On machines of its own this run takes {}, of which {} computing and {} in messages.\n",
                  time_text(found.seconds), time_text(part_of(found, Kind::compute)),
                  time_text(part_of(found, Kind::message)));
  if (trace.supersteps() == 0)
    text += "No superstep was finished on all ranks: this is only what ranks did outside of supersteps.\n";
  std::vector<double> computing(found.ranks, 0);
  for (const auto& stretch : found.path)
    if (stretch.kind == Kind::compute) computing[stretch.rank] += stretch.seconds;
  for (std::size_t rank = 0; rank < found.ranks; ++rank)
    text += fmt::format("  rank {:<5} computes for {} of the path, slack {}\n", rank,
                        time_text(computing[rank]), time_text(found.slack[rank]));
  return text;
}

std::string who_takes(const Answers& answers) {
  if (!answers.ranks) return "this run takes";
  return fmt::format("this program would take, on {},",
                     counted(static_cast<std::uint64_t>(*answers.ranks), "rank"));
}

std::string on_ranks_text(const Answers& answers) {
  if (!answers.ranks) return "";
  return fmt::format("estimated      on {}\n", counted(static_cast<std::uint64_t>(*answers.ranks), "rank"));
}

/// The number of each record of supersteps, and of the end.
std::vector<std::uint64_t> numbers_of(const trace_file::Trace& trace) {
  std::vector<std::uint64_t> numbers;
  for (const trace_file::Step& step : trace.steps.front())
    numbers.push_back(step.first);
  numbers.push_back(trace.supersteps());
  return numbers;
}

}  // namespace

std::string time_text(double seconds) {
  if (seconds > 1e8) return fmt::format("{:.3g} s", seconds);
  return transport::format_duration(transport::Duration{static_cast<transport::Duration::rep>(seconds * 1e9)},
                                    3);
}

std::string text_of(const trace_file::Trace& trace, const Answers& answers) {
  std::string text =
      fmt::format("{} on {} over {}, {}{}\nmeasured       {}\n", trace.program,
                  counted(trace.ranks(), "rank"), trace.backend, counted(trace.supersteps(), "superstep"),
                  trace.finished ? "" : ", NOT FINISHED", time_text(trace.measured()));
  text += on_ranks_text(answers);
  if (const auto& found = answers.lossy)
    text += fmt::format("lossy BSP      {}{}\n", time_text(found->seconds), within(found->interval));
  if (answers.without_network)
    text +=
        "lossy BSP      not known without a round trip above 0 and a rate: give --rtt, --rate and --loss\n";
  if (const auto& found = answers.longest)
    text += fmt::format("critical path  {}{}\n", time_text(found->path.seconds), within(found->interval));
  if (const auto& found = answers.pmm)
    text += fmt::format("Fox's product  {}{}, of which the product {}, measured {}\n",
                        time_text(found->seconds), within(found->interval), time_text(found->product_seconds),
                        time_text(found->product_measured));
  if (answers.without_mesh)
    text += fmt::format("Fox's product  not of {}: they make no mesh whose side divides the order\n",
                        counted(static_cast<std::uint64_t>(*answers.ranks), "rank"));
  if (const auto& found = answers.queueing)
    text += fmt::format("queueing       {}{}\n", time_text(found->seconds), within(found->interval));
  if (const auto& found = answers.lossy)
    text += fmt::format("With the losses of its network {} {}, of which {} computing and {} communicating.\n",
                        who_takes(answers), time_text(found->seconds), time_text(found->computing),
                        time_text(found->seconds - found->computing));
  if (answers.longest) text += path_text(trace, answers.longest->path);
  return text;
}

Json json_of(const trace_file::Trace& trace, const Answers& answers) {
  Json estimates = Json::array();
  for (const ModelEstimate& each : estimates_in(answers)) {
    estimates.push_back(json_of(each));
    if (each.model == std::string_view("pmm"))
      estimates.back()["product"] = {{"measured", answers.pmm->product_measured},
                                     {"seconds", answers.pmm->product_seconds}};
  }
  const auto& found = answers.longest;
  return {{"measured", trace.measured()},
          {"estimates", estimates},
          {"critical_path", found ? path_json(found->path, numbers_of(trace)) : Json::array()},
          {"slack", found ? slack_json(found->path.slack) : Json::array()}};
}

}  // namespace lbsp::estimate
