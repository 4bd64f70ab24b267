#include "tools/calibration/recorded_product.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

#include "lbsp/plan/protocol.hpp"
#include "model/mathematics/fitted_law.hpp"
#include "model/tuning/setting.hpp"
#include "tools/calibration/means.hpp"
#include "tools/calibration/message_cost.hpp"
#include "tools/calibration/program_words.hpp"

namespace lbsp::calibration {
namespace {

constexpr double usual_order = 1024;     // of matmul without --size
constexpr double datagram_bytes = 1400;  // what lbsp tune assumes of a network that nobody has measured

/// 0 for what is no number.
double number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? value : 0;
}

bool is_fox_of_doubles(const trace_file::Trace& trace) {
  return program_name(trace) == "matmul" && word_of(trace, "--algorithm") == "fox" &&
         !word_of(trace, "--a") && word_of(trace, "--precision").value_or("double") == "double";
}

/// 0 if the number of ranks is no square.
std::size_t side_of(const trace_file::Trace& trace) {
  const auto side = static_cast<Rank>(std::lround(std::sqrt(trace.ranks())));
  return side * side == trace.ranks() ? static_cast<std::size_t>(side) : 0;
}

/// Whether there are records of the product's supersteps and of the next, each of one superstep.
bool has_records(const trace_file::Trace& trace, std::size_t side) {
  return std::ranges::all_of(trace.steps, [side](const auto& steps) {
    return steps.size() > side &&
           std::ranges::all_of(steps.begin(), steps.begin() + static_cast<long>(side) + 1,
                               [](const auto& step) { return step.supersteps == 1; });
  });
}

/// From when the last rank begins until the last has multiplied. All leave the next superstep together, so the rank
/// that took least until then began last, and the one that waited least in it was the last to multiply.
double product_seconds(const trace_file::Trace& trace, std::size_t side) {
  double until_left = std::numeric_limits<double>::infinity();
  double least_wait = std::numeric_limits<double>::infinity();
  for (const auto& steps : trace.steps) {
    double sum = steps[0].communicate;
    for (std::size_t k = 1; k <= side; ++k)
      sum += steps[k].compute + steps[k].communicate;
    until_left = std::min(until_left, sum);
    least_wait = std::min(least_wait, steps[side].communicate);
  }
  return until_left - least_wait;
}

double longest_computing(const trace_file::Trace& trace, std::size_t side) {
  double sum = 0;
  for (std::size_t k = 1; k <= side; ++k) {
    double longest = 0;
    for (const auto& steps : trace.steps)
      longest = std::max(longest, steps[k].compute);
    sum += longest;
  }
  return sum;
}

}  // namespace

std::optional<RecordedProduct> recorded_product(const trace_file::Trace& trace) {
  if (!is_fox_of_doubles(trace)) return std::nullopt;
  const std::size_t side = side_of(trace);
  const auto size = word_of(trace, "--size");
  const double order = size ? number_in(*size) : usual_order;
  if (side == 0 || !(order >= 1) || std::fmod(order, static_cast<double>(side)) != 0 ||
      !has_records(trace, side))
    return std::nullopt;
  RecordedProduct out;
  out.run = {static_cast<double>(trace.ranks()), order, product_seconds(trace, side),
             longest_computing(trace, side)};
  out.round_trip = mean_of_measured(trace.ends, [](const auto& end) { return end.network.round_trip; });
  out.rate = mean_of_measured(trace.ends, [](const auto& end) { return end.network.rate; });
  out.loss = mean_of_measured(trace.ends, [](const auto& end) { return end.network.loss; });
  return out;
}

RecordedProduct mean_network(std::span<const RecordedProduct> products) {
  RecordedProduct out;
  out.round_trip = mean_of_measured(products, [](const auto& product) { return product.round_trip; });
  out.rate = mean_of_measured(products, [](const auto& product) { return product.rate; });
  out.loss = mean_of_measured(products, [](const auto& product) { return product.loss; });
  return out;
}

model::pmm::Calibration calibrate(std::span<const RecordedProduct> products) {
  std::vector<model::pmm::MeasuredRun> runs;
  for (const RecordedProduct& product : products)
    runs.push_back(product.run);
  const RecordedProduct network = mean_network(products);
  const double startup = message_cost(network.round_trip, network.rate).startup_seconds();
  return model::pmm::calibrate(broadcast, overlap, runs, {0, startup}, model::pmm::Residuals::relative);
}

std::optional<double> nine_of_ten_part(const model::pmm::Calibration& calibration) {
  constexpr std::size_t rates = 2;
  return model::mathematics::nine_of_ten_part(calibration.errors, rates);
}

std::optional<double> lossy_seconds(const RecordedProduct& network, double nodes, double order,
                                    double flops) {
  if (network.round_trip <= 0 || network.rate <= 0) return std::nullopt;
  model::tuning::Program program = model::tuning::fox_program(order, nodes, flops);
  program.short_supersteps = 0;  // they come after the product
  const model::tuning::PacketPath path{.packet_bytes = datagram_bytes,
                                       .bandwidth = network.rate,
                                       .path = {.round_trip = network.round_trip, .loss = network.loss}};
  return best_setting(program, path, {}, plan::protocol()).seconds;
}

}  // namespace lbsp::calibration
