#include "tools/tune/algorithm.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "tools/programs/common_options.hpp"
#include "transport/error.hpp"

namespace lbsp::tune {
namespace {

/// Comparisons of which std::sort needs n·log2 n; sort_keys was measured with 10^6 keys.
const double comparisons_per_key = std::log2(1e6);
/// Additions and a multiplication for a point of the five-point stencil.
constexpr double operations_per_point = 5;

}  // namespace

Algorithm::Algorithm(AlgorithmOptions options) : options_(std::move(options)) {
  for (const char* known : {"matmul", "fox", "bitonic_sort", "fft2d", "jacobi", "own"})
    if (options_.name == known) return;
  throw UsageError(
      fmt::format("--algorithm {}: use matmul, fox, bitonic_sort, fft2d, jacobi or own", options_.name));
}

model::tuning::Program Algorithm::on(double nodes, double rate) const {
  if (options_.name == "matmul") return model::tuning::matmul_program(options_.size, nodes, rate);
  if (options_.name == "fox") return model::tuning::fox_program(options_.size, nodes, rate);
  if (options_.name == "bitonic_sort") return model::tuning::bitonic_sort_program(options_.size, nodes, rate);
  if (options_.name == "fft2d") return model::tuning::fft2d_program(options_.size, nodes, rate);
  if (options_.name == "jacobi")
    return model::tuning::jacobi_program({options_.size, options_.sweeps, options_.halo}, nodes, rate);
  return model::tuning::own_program(options_.own, nodes);
}

std::vector<double> Algorithm::admissible_nodes(double most) const {
  using model::tuning::Admissible;
  const double size = options_.size;
  if (matrix_order())
    return model::tuning::admissible_nodes(Admissible::squares, std::min(most, size * size));
  if (options_.name == "bitonic_sort")
    return model::tuning::admissible_nodes(Admissible::powers_of_two, std::min(most, size));
  if (options_.name == "fft2d") return model::tuning::admissible_nodes(Admissible::any, std::min(most, size));
  if (options_.name == "jacobi")
    return model::tuning::admissible_nodes(Admissible::any, std::clamp(size - 2, 1., most));
  return model::tuning::admissible_nodes(Admissible::any, most);
}

std::string Algorithm::nearest_nodes(double nodes, double most) const {
  const std::vector<double> below = admissible_nodes(nodes);
  // A square or a power of two is followed by another one before this.
  const std::vector<double> all = admissible_nodes(std::min(most, 4 * nodes));
  const auto above = std::ranges::upper_bound(all, nodes);
  if (above == all.end()) return below.empty() ? "another number" : fmt::format("{}", below.back());
  return below.empty() ? fmt::format("{}", *above) : fmt::format("{} or {}", below.back(), *above);
}

std::vector<double> Algorithm::halos() const {
  std::vector<double> halos{1};
  if (!halo()) return halos;
  const double most = std::min(options_.sweeps, options_.size - 2);
  for (double power = 2; power <= most; power *= 2) {
    halos.push_back(power);
    if (power * 1.5 <= most) halos.push_back(power * 1.5);
  }
  return halos;
}

Algorithm Algorithm::with_halo(double halo) const {
  AlgorithmOptions options = options_;
  options.halo = halo;
  return Algorithm(options);
}

std::optional<double> Algorithm::halo() const {
  return options_.name == "jacobi" ? std::optional(options_.halo) : std::nullopt;
}

std::optional<double> Algorithm::matrix_order() const {
  const bool multiplies = options_.name == "matmul" || options_.name == "fox";
  return multiplies ? std::optional(options_.size) : std::nullopt;
}

std::optional<double> Algorithm::rate_of(const profile::HostProfile& host) const {
  if (!counts_operations()) return usual_rate();
  if (!host.compute) return std::nullopt;
  double rate = host.compute->dgemm_flops;
  if (options_.name == "bitonic_sort") rate = host.compute->sort_keys * comparisons_per_key;
  if (options_.name == "fft2d") rate = host.compute->fft_flops;
  if (options_.name == "jacobi") rate = host.compute->stencil_points * operations_per_point;
  return rate > 0 ? std::optional(rate) : std::nullopt;
}

std::string Algorithm::command() const {
  if (options_.name == "own") return "PROGRAM";
  if (options_.name == "fox") return fmt::format("matmul --algorithm fox --size {:.0f}", options_.size);
  std::string words = fmt::format("{} --size {:.0f}", options_.name, options_.size);
  if (options_.name == "jacobi")
    words += fmt::format(" --iterations {:.0f} --halo {:.0f}", options_.sweeps, options_.halo);
  return words;
}

std::vector<std::string> Algorithm::warnings() const {
  const bool has_sides = matrix_order() || options_.name == "fft2d" || options_.name == "jacobi";
  if (!has_sides || options_.size <= static_cast<double>(programs::largest_side)) return {};
  return {fmt::format("{} takes a --size of {} at most: lbsp run refuses this command",
                      matrix_order() ? "matmul" : options_.name, programs::largest_side)};
}

double Algorithm::usual_rate() const {
  if (matrix_order()) return 2e10;
  if (options_.name == "bitonic_sort") return 2.5e8;
  return 4e9;
}

}  // namespace lbsp::tune
