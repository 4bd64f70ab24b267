#include "tools/estimate/described_run.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "model/critical_path/supersteps.hpp"
#include "tools/estimate/path_json.hpp"
#include "tools/profile/json_place.hpp"
#include "tools/trace_file/trace.hpp"

namespace lbsp::estimate {
namespace {

using model::critical_path::Arc;
using model::critical_path::Closing;
using model::critical_path::Graph;
using model::critical_path::Kind;
using model::critical_path::MeasuredMessage;
using model::critical_path::MessageCost;
using model::critical_path::Ports;
using model::critical_path::Rules;
using model::critical_path::Superstep;
using model::critical_path::SystemShare;
using nlohmann::json;
using nlohmann::ordered_json;
using profile::JsonPlace;

constexpr std::int64_t most_events = 100'000'000;
constexpr std::int64_t most_ranks = 65'536;
constexpr double most_bytes = 1e18;

JsonPlace member(const JsonPlace& of, const char* key) {
  return of.member(key, "see docs/trace.md");
}

double seconds(const JsonPlace& place) {
  return place.number_within(0, trace_file::most_seconds);
}

double bytes(const JsonPlace& place) {
  return place.number_within(0, most_bytes);
}

std::size_t index(const JsonPlace& of, const char* key, std::int64_t count) {
  return static_cast<std::size_t>(member(of, key).whole_number(0, count - 1));
}

MessageCost cost_in(const JsonPlace& run) {
  const auto model = run.find("comm_model");
  if (!model) return MessageCost::linear(0, 0);
  const std::string kind = member(*model, "kind").text();
  if (kind == "linear")
    return MessageCost::linear(member(*model, "t0").number(), member(*model, "per_byte").number());
  if (kind != "lagrange") member(*model, "kind").fail("use linear or lagrange");
  std::vector<MeasuredMessage> points;
  for (const JsonPlace& point : member(*model, "points").items()) {
    const auto pair = point.items();
    if (pair.size() != 2) point.fail("give bytes and seconds");
    points.push_back({pair[0].number(), pair[1].number()});
  }
  return MessageCost::lagrange(std::move(points));
}

SystemShare share_in(const JsonPlace& run, const json& file) {
  const auto share = run.find("os_share");
  if (!share) return {};
  std::vector<double> shares;
  if (file.at("os_share").is_array()) {
    for (const JsonPlace& each : share->items())
      shares.push_back(each.fraction());
  } else {
    shares.push_back(share->fraction());
  }
  return SystemShare(std::move(shares));
}

Arc arc_in(const JsonPlace& arc, std::int64_t events) {
  Arc out{.from = index(arc, "from", events), .to = index(arc, "to", events)};
  const std::string kind = member(arc, "kind").text();
  if (kind == "compute") {
    out.kind = Kind::compute;
    out.amount = seconds(member(arc, "cpu"));
    out.rank = index(arc, "proc", most_ranks);
  } else if (kind == "comm") {
    out.kind = Kind::message;
    out.amount = bytes(member(arc, "bytes"));
    if (arc.find("src")) out.rank = index(arc, "src", most_ranks);
  } else if (kind == "sync") {
    if (const auto cost = arc.find("cost")) out.amount = seconds(*cost);
  } else {
    member(arc, "kind").fail("use compute, comm or sync");
  }
  return out;
}

ordered_json graph_answer(const JsonPlace& run, const json& file) {
  Graph graph;
  const std::int64_t events = member(run, "events").whole_number(1, most_events);
  graph.events = static_cast<std::size_t>(events);
  for (const JsonPlace& arc : member(run, "arcs").items())
    graph.arcs.push_back(arc_in(arc, events));
  const std::vector<double> durations =
      model::critical_path::durations(graph, cost_in(run), share_in(run, file));
  const auto found = model::critical_path::longest_path(graph, durations);
  ordered_json path = ordered_json::array();
  for (const std::size_t i : found.arcs)
    path.push_back({{"arc", i},
                    {"kind", name_of(graph.arcs[i].kind)},
                    {"from", graph.arcs[i].from},
                    {"to", graph.arcs[i].to},
                    {"seconds", durations[i]}});
  return {{"seconds", found.seconds},
          {"path", path},
          {"slack", slack_json(model::critical_path::slack_of_ranks(graph, found))},
          {"times", found.times}};
}

Superstep superstep_in(const JsonPlace& step, std::size_t ranks) {
  Superstep out;
  const auto cpu = member(step, "cpu").items();
  if (cpu.size() != ranks) member(step, "cpu").fail(fmt::format("give {} times, one for each rank", ranks));
  for (const JsonPlace& each : cpu)
    out.cpu.push_back(seconds(each));
  const auto rows = member(step, "bytes").items();
  if (rows.size() != ranks) member(step, "bytes").fail(fmt::format("give {} rows, one for each rank", ranks));
  for (std::size_t from = 0; from < ranks; ++from) {
    const auto row = rows[from].items();
    if (row.size() != ranks) rows[from].fail(fmt::format("give {} numbers, one for each rank", ranks));
    for (std::size_t to = 0; to < ranks; ++to) {
      const double sent = bytes(row[to]);
      if (to != from && sent > 0) out.messages.push_back({from, to, sent});
    }
  }
  return out;
}

template <class Value>
Value one_of(const JsonPlace& run, const char* key, const char* first, Value of_first, const char* second,
             Value of_second) {
  const auto found = run.find(key);
  if (!found || found->text() == first) return of_first;
  if (found->text() != second) found->fail(fmt::format("use {} or {}", first, second));
  return of_second;
}

ordered_json supersteps_answer(const JsonPlace& run, const json& file) {
  const auto ranks = static_cast<std::size_t>(member(run, "procs").whole_number(1, most_ranks));
  std::vector<Superstep> supersteps;
  for (const JsonPlace& step : member(run, "steps").items())
    supersteps.push_back(superstep_in(step, ranks));
  Rules rules{
      cost_in(run), one_of(run, "closing", "exchange", Closing::exchange, "barrier", Closing::barrier),
      one_of(run, "ports", "parallel", Ports::parallel, "serial", Ports::serial), 0, share_in(run, file)};
  if (const auto cost = run.find("sync_cost")) rules.sync_seconds = seconds(*cost);
  const auto found = model::critical_path::estimate(supersteps, rules);
  return {{"seconds", found.seconds}, {"path", path_json(found, {})}, {"slack", slack_json(found.slack)}};
}

}  // namespace

bool is_described_run(const json& file) {
  // The report of a run has steps too.
  return file.is_object() && (file.contains("arcs") || file.contains("steps")) && !file.contains("per_rank");
}

ordered_json estimate_described(const json& file, const std::string& name) {
  const JsonPlace run(file, name);
  return file.contains("arcs") ? graph_answer(run, file) : supersteps_answer(run, file);
}

}  // namespace lbsp::estimate
