#include "model/tuning/tuner.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

#include "model/tuning/setting.hpp"

namespace lbsp::model::tuning {
namespace {

constexpr double flat = 1.01;
constexpr std::size_t most_runners_up = 3;

/// What theory takes for the best at a number of nodes.
struct Estimate {
  double seconds;
  double packet_bytes;
};

/// The estimates for numbers of nodes, by their places in the question; worked out when first asked for.
class NodeScan {
 public:
  explicit NodeScan(const TuningQuestion& question) : question_(question) {
    if (question.nodes.empty())
      throw std::invalid_argument("no number of nodes to choose from: allow at least one");
  }

  std::size_t places() const { return question_.nodes.size(); }

  const Estimate& at(std::size_t place) {
    const auto found = known_.find(place);
    if (found != known_.end()) return found->second;
    const double nodes = question_.nodes[place];
    const Program program = question_.program(nodes);
    const std::vector<PacketPath> paths = question_.paths(nodes);
    if (paths.empty()) throw std::invalid_argument("no packet size to choose from: allow at least one");
    Estimate best{INFINITY, paths.back().packet_bytes};
    // The largest packets first: they are mostly the best. Of equals the smallest.
    for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
      const double seconds = question_.usual.of(program, *path, best.seconds);
      if (seconds <= best.seconds) best = {seconds, path->packet_bytes};
    }
    return known_[place] = best;
  }

  /// Of the places looked at, those faster than the ones beside them, best first.
  std::vector<std::size_t> minima() const {
    std::vector<std::size_t> found;
    for (auto i = known_.begin(); i != known_.end(); ++i) {
      const bool falls = i == known_.begin() || i->second.seconds < std::prev(i)->second.seconds;
      const bool rises = std::next(i) == known_.end() || i->second.seconds <= std::next(i)->second.seconds;
      if (falls && rises) found.push_back(i->first);
    }
    std::ranges::stable_sort(found, {}, [&](std::size_t place) { return known_.at(place).seconds; });
    found.resize(std::min(found.size(), most_runners_up + 1));
    return found;
  }

  void scan() {
    constexpr std::size_t every_one = 64;
    for (std::size_t place = 0; place < places(); place += place < every_one ? 1 : place / 20)
      at(place);
    at(places() - 1);
    for (const std::size_t place : minima())
      look_about(place);
  }

  /// The first and the last of the places looked at that are about as good as this one, and all between.
  std::pair<std::size_t, std::size_t> as_good_as(std::size_t place) {
    const double enough = flat * at(place).seconds;
    auto from = known_.find(place);
    auto to = from;
    while (from != known_.begin() && std::prev(from)->second.seconds <= enough)
      --from;
    while (std::next(to) != known_.end() && std::next(to)->second.seconds <= enough)
      ++to;
    return {from->first, to->first};
  }

 private:
  /// Between the places looked at beside this one: by thirds, then all.
  void look_about(std::size_t place) {
    const auto here = known_.find(place);
    std::size_t low = here == known_.begin() ? place : std::prev(here)->first;
    std::size_t high = std::next(here) == known_.end() ? place : std::next(here)->first;
    while (high - low > 8) {
      const std::size_t third = (high - low) / 3;
      if (at(low + third).seconds < at(high - third).seconds) {
        high -= third;
      } else {
        low += third;
      }
    }
    for (std::size_t next = low; next <= high; ++next)
      at(next);
  }

  const TuningQuestion& question_;
  std::map<std::size_t, Estimate> known_;
};

/// Choices of nodes and packet size, each with its best protection.
class Refinement {
 public:
  Refinement(const TuningQuestion& question, NodeScan& scan) : question_(question), scan_(scan) {}

  /// With the packet size that the estimate takes for the best.
  const Setting& at(std::size_t place) { return at(place, scan_.at(place).packet_bytes); }

  const Setting& at(std::size_t place, double packet_bytes) {
    const auto found = known_.find({place, packet_bytes});
    if (found != known_.end()) return found->second;
    const double nodes = question_.nodes[place];
    return known_[{place, packet_bytes}] = best_setting(question_.program(nodes), path(nodes, packet_bytes),
                                                        {}, question_.usual.protocol());
  }

  PacketPath path(double nodes, double packet_bytes) const {
    const std::vector<PacketPath> paths = question_.paths(nodes);
    return *std::ranges::find(paths, packet_bytes, &PacketPath::packet_bytes);
  }

  std::vector<Neighbour> beside(std::size_t place, const Setting& best) {
    std::vector<Neighbour> neighbours;
    if (place > 0) neighbours.push_back({"nodes", at(place - 1)});
    if (place + 1 < scan_.places()) neighbours.push_back({"nodes", at(place + 1)});
    if (best.nodes == 1) return neighbours;
    for (const PacketPath& each : question_.paths(best.nodes))
      if (each.packet_bytes != best.packet_bytes)
        neighbours.push_back({"packet_size", at(place, each.packet_bytes)});
    return neighbours;
  }

  /// The best setting's other protections: a copy or a coded segment more or less, the other means.
  std::vector<Neighbour> protections_beside(const Setting& best) const {
    const Program program = question_.program(best.nodes);
    const PacketPath here = path(best.nodes, best.packet_bytes);
    const superstep::Limits& limits = question_.usual.protocol().limits;
    std::vector<Neighbour> neighbours;
    const auto try_amount = [&](const char* change, int superstep::Protection::*amount,
                                superstep::Protection FixedProtection::*of, int least, int most) {
      for (const int step : {-1, 1}) {
        FixedProtection next = best.protection;
        const int to = (next.*of).*amount += step;
        if (to >= least && to <= most)
          neighbours.push_back({change, evaluate(program, here, next, question_.usual.protocol())});
      }
    };
    using superstep::Protection;
    try_amount("copies", &Protection::copies, &FixedProtection::single, 1, limits.copies);
    if (!best.has_longer()) return neighbours;
    if (best.is_coded()) {
      try_amount("repair", &Protection::repair_segments, &FixedProtection::longer, 0, limits.repair_segments);
    } else {
      try_amount("copies", &Protection::copies, &FixedProtection::longer, 1, limits.copies);
    }
    const superstep::Means others{.copies = best.is_coded(), .coded = !best.is_coded()};
    neighbours.push_back({"repair", best_setting(program, here, others, question_.usual.protocol())});
    return neighbours;
  }

 private:
  const TuningQuestion& question_;
  NodeScan& scan_;
  std::map<std::pair<std::size_t, double>, Setting> known_;
};

/// The supersteps, as the assumptions see them.
Circumstances circumstances(const Program& program, const PacketPath& path, const Setting& setting) {
  const double packets = setting.packets_per_message;
  return {.loss = path.path.loss,
          .loss_after_loss = path.path.loss_after_loss,
          .round_trip = path.path.round_trip,
          .packet_seconds = path.packet_bytes / path.bandwidth,
          .packets_per_message = packets,
          .packets_per_node = program.destinations * packets,
          .copies = (setting.has_longer() ? setting.protection.longer : setting.protection.single).copies,
          .fragmented = path.fragmented};
}

std::size_t place_of(const TuningQuestion& question, double nodes) {
  return static_cast<std::size_t>(std::ranges::find(question.nodes, nodes) - question.nodes.begin());
}

/// From setting to better neighbour, until there is none.
void walk(Tuning& tuning, Refinement& refinement, const TuningQuestion& question) {
  constexpr int most_steps = 16;
  for (int step = 0; step < most_steps; ++step) {
    tuning.neighbours = refinement.beside(place_of(question, tuning.best.nodes), tuning.best);
    const auto better = std::ranges::min_element(
        tuning.neighbours, {}, [](const Neighbour& neighbour) { return neighbour.setting.seconds; });
    if (better == tuning.neighbours.end() || better->setting.seconds >= tuning.best.seconds) return;
    tuning.best = better->setting;
  }
}

}  // namespace

Tuning tune(const TuningQuestion& question) {
  NodeScan scan(question);
  scan.scan();
  Refinement refinement(question, scan);
  std::vector<Setting> finalists;
  for (const std::size_t place : scan.minima())
    finalists.push_back(refinement.at(place));
  std::ranges::stable_sort(finalists, {}, &Setting::seconds);

  Tuning tuning;
  tuning.best = finalists.front();
  walk(tuning, refinement, question);
  tuning.runners_up.assign(finalists.begin() + 1, finalists.end());
  const std::size_t place = place_of(question, tuning.best.nodes);
  tuning.at_limit = place > 0 && place + 1 == scan.places();
  const auto [from, to] = scan.as_good_as(place);
  tuning.flat_from = question.nodes[from];
  tuning.flat_to = question.nodes[to];
  if (tuning.best.nodes == 1) return tuning;
  std::ranges::move(refinement.protections_beside(tuning.best), std::back_inserter(tuning.neighbours));
  tuning.doubts =
      doubts(circumstances(question.program(tuning.best.nodes),
                           refinement.path(tuning.best.nodes, tuning.best.packet_bytes), tuning.best));
  return tuning;
}

}  // namespace lbsp::model::tuning
