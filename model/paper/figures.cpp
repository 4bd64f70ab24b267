#include "model/paper/figures.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "model/paper/conceptual.hpp"
#include "model/paper/speedup.hpp"

namespace lbsp::model::paper {
namespace {

using Numbers = std::vector<double>;

constexpr double packet_seconds = 65536 / 17.5e6;
constexpr double round_trip = 0.069;
constexpr double hour = 3600;

Numbers powers_of_two() {
  Numbers nodes;
  for (double n = 2; n <= 131072; n *= 2)
    nodes.push_back(n);
  return nodes;
}

FigurePoint point(double loss, double nodes, int copies, std::optional<double> work) {
  FigurePoint point{loss, nodes, copies, work, {}};
  for (std::size_t i = 0; i < point.speedup.size(); ++i) {
    const PacketsPerSuperstep kind = all_packets_per_superstep[i];
    point.speedup[i] = work ? predict({*work, nodes, packets_per_superstep(kind, nodes)},
                                      {loss, packet_seconds, round_trip}, copies)
                                  .speedup
                            : conceptual::speedup(kind, nodes, loss, copies);
  }
  return point;
}

/// Every combination has a point; the axis varies fastest.
Figure over(int number, FigureAxis axis, const char* title, const Numbers& losses, const Numbers& nodes,
            const std::vector<int>& copies, const std::vector<std::optional<double>>& hours) {
  Figure out{number, title, axis, {}};
  for (const double n : nodes)
    for (const double loss : losses)
      for (const int k : copies)
        for (const auto work : hours)
          out.points.push_back(point(loss, n, k, work ? std::optional(*work * hour) : work));
  if (axis == FigureAxis::nodes) std::ranges::stable_sort(out.points, {}, &FigurePoint::loss);
  return out;
}

Figure against_work(int number, const char* title, double nodes) {
  return over(number, FigureAxis::work, title, {0.0005, 0.05, 0.15}, {nodes}, {1},
              {0.01, 0.1, 1., 4., 10., 100., 1000., 10000.});
}

}  // namespace

Figure figure(int number) {
  switch (number) {
    case 7:
      return over(7, FigureAxis::nodes, "Conceptual model: speedup against nodes, 2 copies",
                  {0.0005, 0.05, 0.1, 0.15, 0.3, 0.5}, powers_of_two(), {2}, {std::nullopt});
    case 8:
      return over(8, FigureAxis::nodes, "L-BSP: speedup against nodes, 4 hours of work, 1 copy",
                  {0.0005, 0.005, 0.05, 0.1, 0.15}, powers_of_two(), {1}, {4.});
    case 9:
      return over(9, FigureAxis::loss, "L-BSP: speedup against loss, 10 hours of work, 1 copy",
                  {0.0005, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3},
                  {2, 16, 128, 1024, 8192, 131072}, {1}, {10.});
    case 10:
      return over(10, FigureAxis::copies, "L-BSP: speedup against copies, 10 hours of work",
                  {0.0005, 0.045, 0.1, 0.15}, {2, 1024, 16384, 131072}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
                  {10.});
    case 11:
      return against_work(11, "L-BSP: speedup against work, 2 nodes, 1 copy", 2);
    case 12:
      return against_work(12, "L-BSP: speedup against work, 131072 nodes, 1 copy", 131072);
    default:
      throw std::invalid_argument("no figure " + std::to_string(number) + ": choose one from 7 to 12");
  }
}

}  // namespace lbsp::model::paper
