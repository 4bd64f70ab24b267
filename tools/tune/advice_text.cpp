#include "tools/tune/advice_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "tools/command_line/shell_words.hpp"
#include "tools/model_command/answer.hpp"
#include "transport/quantity.hpp"

namespace lbsp::tune {
namespace {

constexpr const char* start_is_not_in_it =
    "not in these times: starting and ending the job, and what the program does around its algorithm\n";

using model::tuning::Setting;
using nlohmann::ordered_json;

/// Neighbours of one kind shown on the screen; all are in the JSON.
constexpr int digits = 3;

std::string time_text(double seconds) {
  constexpr double most = 9e9;  // of 64 bits of nanoseconds
  if (!(seconds < most)) return fmt::format("{:.3g} s", seconds);
  return transport::format_duration(transport::Duration{static_cast<transport::Duration::rep>(seconds * 1e9)},
                                    digits);
}

/// K of messages of one datagram; and of longer ones, if that is another.
std::string copies_text(const Setting& setting) {
  const auto& [single, longer] = setting.protection;
  const bool same = !setting.has_longer() || setting.is_coded() || longer.copies == single.copies;
  return same ? fmt::format("{}", single.copies) : fmt::format("{},{}", single.copies, longer.copies);
}

std::string repair_text(const Setting& setting) {
  return setting.is_coded() ? fmt::format("{}", setting.protection.longer.repair_segments) : "-";
}

std::string tail_text(const Setting& setting) {
  return setting.protected_tail() > 0 ? fmt::format("{}", setting.protected_tail()) : "-";
}

std::string row(const std::string& what, const Setting& setting) {
  return fmt::format("  {:<12}{:>6} {:>7} {:>7} {:>6} {:>7} {:>10} {:>9.3g} {:>10.3g}\n", what, setting.nodes,
                     copies_text(setting), repair_text(setting), tail_text(setting), setting.packet_bytes,
                     time_text(setting.seconds), setting.speedup, setting.efficiency());
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), most); ++i)
    text += (i == 0 ? "" : " ") + names[i];
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return text;
}

std::string command(const Advice& advice, const RunWords& run) {
  const Setting& best = advice.tuning.best;
  std::string text = fmt::format("lbsp run -n {}", best.nodes);
  if (!advice.hosts.empty()) text += fmt::format(" --hosts HOSTS --only {}", fmt::join(advice.hosts, ","));
  if (best.nodes > 1) {
    text += fmt::format(" {}", protection_words(best));
    text += fmt::format(" --datagram {}", best.packet_bytes);
    if (!run.profile.empty()) text += fmt::format(" --profile {}", command_line::quote_word(run.profile));
  }
  text += fmt::format(" -- {}\n", run.program);
  if (!advice.hosts.empty()) text += "HOSTS:   the hosts file, with these hosts by these names\n";
  return text;
}

ordered_json json_of(const Setting& setting) {
  ordered_json out = {{"copies", setting.protection.single.copies},
                      {"longer_copies", nullptr},
                      {"repair", nullptr},
                      {"tail", nullptr},
                      {"packet_size", static_cast<int>(setting.packet_bytes)},
                      {"nodes", static_cast<std::int64_t>(setting.nodes)},
                      {"seconds", setting.seconds},
                      {"interval",
                       {std::max(0., setting.seconds - setting.nine_of_ten_beside()),
                        setting.seconds + setting.nine_of_ten_beside()}},
                      {"communication", setting.communication},
                      {"speedup", setting.speedup},
                      {"efficiency", setting.efficiency()}};
  const auto& longer = setting.protection.longer;
  if (setting.is_coded()) {
    out["repair"] = longer.repair_segments;
  } else if (setting.has_longer()) {
    out["longer_copies"] = longer.copies;
  }
  if (setting.protected_tail() > 0) out["tail"] = setting.protected_tail();
  return out;
}

std::string text_of(const Advice& advice, const RunWords& run) {
  const model::tuning::Tuning& tuning = advice.tuning;
  const Setting& best = tuning.best;
  std::string text = fmt::format("  {:<12}{:>6} {:>7} {:>7} {:>6} {:>7} {:>10} {:>9} {:>10}\n", "", "nodes",
                                 "copies", "repair", "tail", "packet", "time", "speedup", "efficiency");
  text += row("best", best);
  for (const model::tuning::Neighbour& neighbour : tuning.neighbours)
    text += row(neighbour.change == "packet_size" ? "packet size" : neighbour.change, neighbour.setting);
  for (const Setting& setting : tuning.runners_up)
    text += row("runner-up", setting);
  text += fmt::format("one node takes {}", time_text(advice.sequential_seconds));
  if (best.nodes > 1)
    text += fmt::format("; with {} nodes {} communicating, of which {} for losses", best.nodes,
                        time_text(best.communication), time_text(best.losses));
  text += "\n";
  if (best.nodes > 1)
    text += fmt::format("nine of ten runs take {} to {}, if only losses differ\n",
                        time_text(std::max(0., best.seconds - best.nine_of_ten_beside())),
                        time_text(best.seconds + best.nine_of_ten_beside()));
  text += tuning.flat_from == tuning.flat_to
              ? fmt::format("no other number of nodes is within 1 % of the best, as estimated\n")
              : fmt::format("within 1 % of the best, as estimated: {} to {} nodes\n", tuning.flat_from,
                            tuning.flat_to);
  if (const auto halo = advice.algorithm.halo())
    text += *halo == 1
                ? "halo: 1 point deep, so that each sweep is a superstep\n"
                : fmt::format("halo: {} points deep, so that {} sweeps take one superstep\n", *halo, *halo);
  if (tuning.at_limit) text += "the time still falls at the largest number of nodes: see --max-nodes\n";
  text += start_is_not_in_it;
  if (!advice.hosts.empty()) text += "hosts: " + listed(advice.hosts) + "\n";
  for (const std::string& warning : advice.warnings)
    text += "warning: " + warning + "\n";
  return text + "run it:  " + command(advice, run);
}

/// What any advice is for, whatever the model.
template <class AnyAdvice>
void add_conditions(ordered_json& out, const AnyAdvice& advice) {
  out["sequential_seconds"] = advice.sequential_seconds;
  const auto halo = advice.algorithm.halo();
  out["halo"] = halo ? ordered_json(static_cast<std::int64_t>(*halo)) : ordered_json(nullptr);
  out["hosts"] = advice.hosts.empty() ? ordered_json(nullptr) : ordered_json(advice.hosts);
  out["warnings"] = advice.warnings;
}

ordered_json json_of(const Advice& advice, const std::string& algorithm) {
  const model::tuning::Tuning& tuning = advice.tuning;
  ordered_json out = json_of(tuning.best);
  out["neighbours"] = ordered_json::array();
  for (const model::tuning::Neighbour& neighbour : tuning.neighbours) {
    ordered_json one = {{"change", neighbour.change}};
    one.update(json_of(neighbour.setting));
    out["neighbours"].push_back(one);
  }
  out["runners_up"] = ordered_json::array();
  for (const Setting& setting : tuning.runners_up)
    out["runners_up"].push_back(json_of(setting));
  out["within_one_percent"] = {{"from", static_cast<std::int64_t>(tuning.flat_from)},
                               {"to", static_cast<std::int64_t>(tuning.flat_to)}};
  out["at_limit"] = tuning.at_limit;
  out["algorithm"] = algorithm;
  out["model"] = name_of(Model::lossy_bsp);
  add_conditions(out, advice);
  return out;
}

std::string row(const char* what, const Choice& choice, double sequential) {
  const double speedup = sequential / choice.seconds;
  return fmt::format("  {:<12}{:>6} {:>10} {:>9.3g} {:>10.3g}\n", what, choice.nodes,
                     time_text(choice.seconds), speedup, speedup / choice.nodes);
}

std::string text_of(Model model, const OtherAdvice& advice, const RunWords& run) {
  std::string text =
      fmt::format("  {:<12}{:>6} {:>10} {:>9} {:>10}\n", "", "nodes", "time", "speedup", "efficiency");
  text += row("best", advice.best, advice.sequential_seconds);
  for (const Choice& choice : advice.neighbours)
    text += row("nodes", choice, advice.sequential_seconds);
  text += fmt::format("one node takes {}; by the model {}, which does not know losses\n",
                      time_text(advice.sequential_seconds), name_of(model));
  if (advice.best.nodes > 1)
    text +=
        fmt::format("nine of ten runs take {} to {}: as the model says, or as lbsp's own does, with losses\n",
                    time_text(advice.best.interval.from), time_text(advice.best.interval.to));
  text += start_is_not_in_it;
  if (!advice.hosts.empty()) text += "hosts: " + listed(advice.hosts) + "\n";
  for (const std::string& warning : advice.warnings)
    text += "warning: " + warning + "\n";
  text += fmt::format("run it:  lbsp run -n {}", advice.best.nodes);
  if (!advice.hosts.empty()) text += fmt::format(" --hosts HOSTS --only {}", fmt::join(advice.hosts, ","));
  if (!run.profile.empty() && advice.best.nodes > 1)
    text += fmt::format(" --profile {}", command_line::quote_word(run.profile));
  text += fmt::format(" -- {}\n", run.program);
  if (!advice.hosts.empty()) text += "HOSTS:   the hosts file, with these hosts by these names\n";
  return text;
}

ordered_json json_of(const Choice& choice, double sequential) {
  const double speedup = sequential / choice.seconds;
  return {{"copies", nullptr},         {"repair", nullptr},
          {"packet_size", nullptr},    {"nodes", static_cast<std::int64_t>(choice.nodes)},
          {"seconds", choice.seconds}, {"interval", {choice.interval.from, choice.interval.to}},
          {"speedup", speedup},        {"efficiency", speedup / choice.nodes}};
}

ordered_json json_of(Model model, const OtherAdvice& advice) {
  ordered_json out = json_of(advice.best, advice.sequential_seconds);
  out["model"] = name_of(model);
  out["neighbours"] = ordered_json::array();
  for (const Choice& choice : advice.neighbours) {
    ordered_json one = {{"change", "nodes"}};
    one.update(json_of(choice, advice.sequential_seconds));
    out["neighbours"].push_back(one);
  }
  add_conditions(out, advice);
  return out;
}

}  // namespace

std::string protection_words(const Setting& setting) {
  std::string words = fmt::format("--copies {}", copies_text(setting));
  if (setting.is_coded()) words += fmt::format(" --repair {}", setting.protection.longer.repair_segments);
  if (setting.protected_tail() > 0) words += fmt::format(" --tail {}", setting.protected_tail());
  return words;
}

void answer(const Advice& advice, const std::string& algorithm, const RunWords& run,
            const std::string& json_file) {
  model_command::answer(json_file, text_of(advice, run), json_of(advice, algorithm));
}

void answer(Model model, const OtherAdvice& advice, const RunWords& run, const std::string& json_file) {
  model_command::answer(json_file, text_of(model, advice, run), json_of(model, advice));
}

}  // namespace lbsp::tune
