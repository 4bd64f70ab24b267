#include "model/paper/figures.hpp"

#include <stdexcept>
#include <string>

#include "model/paper/conceptual.hpp"
#include "model/paper/speedup.hpp"

namespace lbsp::model::paper {
namespace {

constexpr double packet_seconds = 65536 / 17.5e6;
constexpr double round_trip = 0.069;
constexpr double hour = 3600;

using Grid = std::vector<double>;

Grid powers_of_two() {
  Grid nodes;
  for (double n = 2; n <= 131072; n *= 2)
    nodes.push_back(n);
  return nodes;
}

FigurePoint conceptual_point(double loss, double nodes) {
  constexpr int copies = 2;
  FigurePoint point{loss, nodes, copies, std::nullopt, {}};
  for (std::size_t i = 0; i < point.speedup.size(); ++i)
    point.speedup[i] = conceptual::speedup(all_packets_per_superstep[i], nodes, loss, copies);
  return point;
}

FigurePoint lbsp_point(double loss, double nodes, int copies, double work) {
  FigurePoint point{loss, nodes, copies, work, {}};
  for (std::size_t i = 0; i < point.speedup.size(); ++i) {
    const double packets = packets_per_superstep(all_packets_per_superstep[i], nodes);
    point.speedup[i] = predict({work, nodes, packets}, {loss, packet_seconds, round_trip}, copies).speedup;
  }
  return point;
}

Figure conceptual_figure() {
  Figure out{7, "Conceptual model: speedup against nodes, 2 copies", FigureAxis::nodes, {}};
  for (const double loss : {0.0005, 0.05, 0.1, 0.15, 0.3, 0.5})
    for (const double nodes : powers_of_two())
      out.points.push_back(conceptual_point(loss, nodes));
  return out;
}

Figure against_nodes() {
  Figure out{8, "L-BSP: speedup against nodes, 4 hours of work, 1 copy", FigureAxis::nodes, {}};
  for (const double loss : {0.0005, 0.005, 0.05, 0.1, 0.15})
    for (const double nodes : powers_of_two())
      out.points.push_back(lbsp_point(loss, nodes, 1, 4 * hour));
  return out;
}

Figure against_loss() {
  Figure out{9, "L-BSP: speedup against loss, 10 hours of work, 1 copy", FigureAxis::loss, {}};
  for (const double nodes : {2., 16., 128., 1024., 8192., 131072.})
    for (const double loss : {0.0005, 0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3})
      out.points.push_back(lbsp_point(loss, nodes, 1, 10 * hour));
  return out;
}

Figure against_copies() {
  Figure out{10, "L-BSP: speedup against copies, 10 hours of work", FigureAxis::copies, {}};
  for (const double nodes : {2., 1024., 16384., 131072.})
    for (const double loss : {0.0005, 0.045, 0.1, 0.15})
      for (int copies = 1; copies <= 10; ++copies)
        out.points.push_back(lbsp_point(loss, nodes, copies, 10 * hour));
  return out;
}

Figure against_work(int number, const char* title, double nodes) {
  Figure out{number, title, FigureAxis::work, {}};
  for (const double loss : {0.0005, 0.05, 0.15})
    for (const double hours : {0.01, 0.1, 1., 4., 10., 100., 1000., 10000.})
      out.points.push_back(lbsp_point(loss, nodes, 1, hours * hour));
  return out;
}

}  // namespace

Figure figure(int number) {
  switch (number) {
    case 7:
      return conceptual_figure();
    case 8:
      return against_nodes();
    case 9:
      return against_loss();
    case 10:
      return against_copies();
    case 11:
      return against_work(11, "L-BSP: speedup against work, 2 nodes, 1 copy", 2);
    case 12:
      return against_work(12, "L-BSP: speedup against work, 131072 nodes, 1 copy", 131072);
    default:
      throw std::invalid_argument("no figure " + std::to_string(number) + ": choose one from 7 to 12");
  }
}

}  // namespace lbsp::model::paper
