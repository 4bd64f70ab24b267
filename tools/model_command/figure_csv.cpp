#include "tools/model_command/figure_csv.hpp"

#include <fmt/format.h>

namespace lbsp::model_command {

std::string figure_csv(const model::paper::Figure& figure) {
  std::string csv = "figure,p,n,k,work_h,S_c=1,S_c=log2n,S_c=log2n^2,S_c=n,S_c=nlog2n,S_c=n^2\n";
  for (const model::paper::FigurePoint& point : figure.points) {
    csv += fmt::format("{},{},{},{},{}", figure.number, point.loss, point.nodes, point.copies,
                       point.work_seconds ? fmt::format("{:.12g}", *point.work_seconds / 3600) : "");
    for (const double speedup : point.speedup)
      csv += fmt::format(",{:.12g}", speedup);
    csv += '\n';
  }
  return csv;
}

}  // namespace lbsp::model_command
