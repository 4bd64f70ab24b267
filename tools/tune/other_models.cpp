#include "tools/tune/other_models.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>

#include "lbsp/plan/protocol.hpp"
#include "model/pmm/prediction.hpp"
#include "model/queueing/prediction.hpp"
#include "model/tuning/setting.hpp"
#include "tools/calibration/message_cost.hpp"
#include "transport/error.hpp"

namespace lbsp::tune {
namespace {

using model::critical_path::MessageCost;
using model::tuning::Program;

constexpr double most_queueing_nodes = 128;
constexpr double most_asked_queueing_nodes = 512;  // seconds, where a halo is tried at each
constexpr double usual_packet_bytes = 1400;
constexpr double element_bytes = 8;
/// The paper's interface carries a message and its return; what lbsp sends has none.
constexpr double one_way = 0.5;

struct Named {
  const char* name;
  Model model;
};
constexpr Named names[] = {{"lbsp", Model::lossy_bsp},
                           {"pmm", Model::pmm},
                           {"queueing", Model::queueing},
                           {"critical-path", Model::critical_path}};

model::tuning::PacketPath usual_path(const Platform& platform, double nodes) {
  const auto paths = platform.paths(nodes);
  const auto distance = [](const auto& path) { return std::abs(path.packet_bytes - usual_packet_bytes); };
  return *std::ranges::min_element(paths, {}, distance);
}

/// What a message takes between two of n nodes, by all these models.
MessageCost message_cost(const Platform& platform, double nodes) {
  const model::tuning::PacketPath path = usual_path(platform, nodes);
  return calibration::message_cost(path.path.round_trip, path.bandwidth);
}

std::optional<double> by_pmm(const Algorithm& algorithm, double nodes, double rate, const MessageCost& cost) {
  const auto order = algorithm.matrix_order();
  if (!order)
    throw UsageError(
        fmt::format("--model pmm predicts matrix products alone, and {} is none: use --algorithm fox, or "
                    "another model",
                    algorithm.command()));
  if (std::fmod(*order, model::pmm::mesh_side(nodes)) != 0) return std::nullopt;
  return predict(model::pmm::Broadcast::flat, model::pmm::Overlap::barrier, nodes, *order,
                 {1 / (element_bytes * cost.seconds_per_byte()), rate, 0, cost.startup_seconds()})
      .total;
}

double by_queueing(const Program& program, double nodes, const MessageCost& cost) {
  const auto n = static_cast<int>(nodes);
  const std::vector<model::queueing::Host> hosts(static_cast<std::size_t>(n));
  const std::vector<int> one_each(hosts.size(), 1);
  // All messages of a superstep leave together: one of their bytes. To itself, too, a node sends as much as to each
  // other, by the model's shares.
  const double bytes = nodes > 1 ? program.destinations * program.message_bytes * nodes / (nodes - 1) : 0;
  const double supersteps = std::max(1., program.supersteps + program.short_supersteps);
  const double mean_bytes = bytes * program.supersteps / supersteps;
  // A rank has its core to itself, and does not queue for it as a job that may be sent to any host.
  return model::queueing::predict({hosts, one_each, n},
                                  {.messages = {.a = mean_bytes},
                                   .sends = {0, supersteps},
                                   .byte_seconds = cost.seconds_per_byte(),
                                   .delay_seconds = cost.startup_seconds()},
                                  {nodes * program.parallel_seconds, one_way})
      .seconds;
}

/// All nodes are alike, and a node's messages leave one after another: each superstep is its computing and the way of
/// the last message.
double by_critical_path(const Program& program, const MessageCost& cost) {
  return program.parallel_seconds +
         program.supersteps * cost.seconds(program.destinations * program.message_bytes) +
         program.short_supersteps * cost.seconds(0);
}

Choice choice_at(Model model, const Algorithm& algorithm, const Platform& platform, double nodes,
                 bool halo_decided) {
  Choice best{nodes, INFINITY, algorithm.halo().value_or(1), {}};
  const std::vector<double> halos =
      halo_decided || !algorithm.halo() ? std::vector<double>{best.halo} : algorithm.halos();
  for (const double halo : halos) {
    const auto seconds = seconds_by(model, algorithm.with_halo(halo), platform, nodes);
    if (seconds && *seconds < best.seconds) best = {nodes, *seconds, halo, {}};
  }
  return best;
}

}  // namespace

Model model_named(const std::string& name) {
  const auto* const found = std::ranges::find(names, name, &Named::name);
  if (found == std::end(names))
    throw UsageError(fmt::format("--model {}: use lbsp, pmm, queueing or critical-path", name));
  return found->model;
}

const char* name_of(Model model) {
  return std::ranges::find(names, model, &Named::model)->name;
}

std::optional<double> seconds_by(Model model, const Algorithm& algorithm, const Platform& platform,
                                 double nodes) {
  const double rate = platform.rate(nodes);
  const MessageCost cost = message_cost(platform, nodes);
  if (model == Model::pmm) return by_pmm(algorithm, nodes, rate, cost);
  const Program program = algorithm.on(nodes, rate);
  return model == Model::queueing ? by_queueing(program, nodes, cost) : by_critical_path(program, cost);
}

NineOfTen interval_around(const Choice& choice, const Algorithm& algorithm, const Platform& platform) {
  if (choice.nodes <= 1) return {choice.seconds, choice.seconds};
  const Program program = algorithm.with_halo(choice.halo).on(choice.nodes, platform.rate(choice.nodes));
  const auto setting = best_setting(program, usual_path(platform, choice.nodes), {}, plan::protocol());
  const double beside = setting.nine_of_ten_beside();
  return {std::min(choice.seconds, std::max(0., setting.seconds - beside)),
          std::max(choice.seconds, setting.seconds + beside)};
}

OtherAdvice advise_by(Model model, const Algorithm& algorithm, const Platform& platform,
                      const Decided& decided) {
  Decided limited = decided;
  if (model == Model::queueing && decided.nodes > most_asked_queueing_nodes)
    throw UsageError(
        fmt::format("--nodes {} with --model queueing would take hours: give {} or fewer, or another model",
                    *decided.nodes, most_asked_queueing_nodes));
  if (model == Model::queueing && !decided.nodes)
    limited.most_nodes = std::min(decided.most_nodes.value_or(most_queueing_nodes), most_queueing_nodes);
  std::vector<Choice> choices;
  for (const double nodes : nodes_to_consider(algorithm, platform, limited)) {
    const Choice choice = choice_at(model, algorithm, platform, nodes, decided.halo);
    if (std::isfinite(choice.seconds)) choices.push_back(choice);
  }
  if (choices.empty())
    throw UsageError(
        fmt::format("--model {} has no prediction for {} on so many nodes: give a size that is a multiple "
                    "of the mesh's side",
                    name_of(model), algorithm.command()));
  const auto best = std::ranges::min_element(choices, {}, &Choice::seconds);
  OtherAdvice out{.best = *best,
                  .neighbours = {},
                  .sequential_seconds = algorithm.on(1, platform.rate(1)).sequential_seconds,
                  .hosts = platform.hosts(best->nodes),
                  .warnings = platform.warnings(best->nodes),
                  .algorithm = algorithm.with_halo(best->halo)};
  for (const std::string& warning : algorithm.warnings())
    out.warnings.push_back(warning);
  if (best != choices.begin()) out.neighbours.push_back(*std::prev(best));
  if (std::next(best) != choices.end()) out.neighbours.push_back(*std::next(best));
  out.best.interval = interval_around(out.best, algorithm, platform);
  for (Choice& choice : out.neighbours)
    choice.interval = interval_around(choice, algorithm, platform);
  return out;
}

}  // namespace lbsp::tune
