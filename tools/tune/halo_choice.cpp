#include "tools/tune/halo_choice.hpp"

#include <algorithm>
#include <cmath>

namespace lbsp::tune {

HaloChoice::HaloChoice(const Algorithm& algorithm, const Platform& platform, model::tuning::UsualTimes& usual)
    : algorithm_(algorithm), platform_(platform), usual_(usual), halos_(algorithm.halos()) {}

double HaloChoice::best(double nodes) {
  if (nodes == 1 || halos_.size() == 1) return halos_.front();
  const auto found = known_.find(nodes);
  if (found != known_.end()) return found->second;
  // The time falls and then rises with the halo, and the best one changes little with the nodes.
  double least = seconds(nodes, halos_[last_], INFINITY);
  const auto walk = [&](auto step) {
    const std::size_t from = last_;
    while (last_ + step < halos_.size()) {
      const double next = seconds(nodes, halos_[last_ + step], least);
      if (next >= least) break;
      least = next;
      last_ += step;
    }
    return last_ != from;
  };
  constexpr auto down = static_cast<std::size_t>(-1);  // from the first place: beyond the last
  if (!walk(std::size_t{1})) walk(down);
  return known_[nodes] = halos_[last_];
}

double HaloChoice::seconds(double nodes, double halo, double enough) {
  constexpr double usual_bytes = 1400;
  const auto paths = platform_.paths(nodes);
  const auto path = std::ranges::min_element(
      paths, {}, [](const auto& each) { return std::abs(each.packet_bytes - usual_bytes); });
  const model::tuning::Program program = algorithm_.with_halo(halo).on(nodes, platform_.rate(nodes));
  return usual_.of(program, *path, enough);
}

}  // namespace lbsp::tune
