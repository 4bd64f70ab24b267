#include "tests/tools/calibration/fox_trace.hpp"

#include "tests/tools/estimate/small_trace.hpp"

namespace lbsp::test {
namespace {

using nlohmann::json;

constexpr int ranks = 4;
constexpr int side = 2;
constexpr double round_trip = 0.02;
constexpr double behind = 0.1;  ///< the next rank, in the beginning

double multiplying(double order, double flops) {
  return 2 * order * order * order / ranks / side / flops;
}

/// A superstep of the product: a root sends a block to each of its row, itself left out, and one is rolled.
double exchanging(double order, double rate) {
  return round_trip / 2 + side * 8 * order * order / ranks / rate;
}

json network(double rate) {
  return {{"loss", 0.01}, {"rtt", round_trip}, {"rate", rate}, {"bandwidth", rate}};
}

/// The `side` supersteps of the product, and one that tells the times.
void add_supersteps(std::vector<json>& lines, int rank, double order, double flops, double rate) {
  for (int k = 0; k <= side; ++k) {
    json line = trace_line(rank, k);
    line["compute"] = line["cpu"] = k == 0 ? 1 + behind * rank : multiplying(order, flops);
    line["waiting"] = 0;
    line["communicate"] = k == side ? round_trip / 2 : exchanging(order, rate);
    if (k == 0) line["communicate"] = line["communicate"].get<double>() + behind * (ranks - 1 - rank);
    line["network"] = network(rate);
    lines.push_back(line);
  }
}

}  // namespace

std::string fox_trace(double order, double flops, double rate, const std::string& algorithm) {
  std::vector<json> lines;
  for (int rank = 0; rank < ranks; ++rank)
    add_supersteps(lines, rank, order, flops, rate);
  for (int rank = 0; rank < ranks; ++rank) {
    json end = small_trace().back();
    end["rank"] = rank;
    end["network"] = network(rate);
    end["seconds"]["total"] = 1000;
    end["job"]["program"] = "/opt/lbsp/bin/matmul";
    end["job"]["arguments"] = {"--algorithm", algorithm, "--size", std::to_string(static_cast<int>(order)),
                               "--no-verify"};
    end["job"]["ranks"] = ranks;
    lines.push_back(end);
  }
  return text_of(lines);
}

double fox_seconds(double order, double flops, double rate) {
  return side * (multiplying(order, flops) + exchanging(order, rate));
}

}  // namespace lbsp::test
