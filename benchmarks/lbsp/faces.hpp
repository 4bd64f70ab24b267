#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "lbsp/area.hpp"
#include "lbsp/bsplib/bsp.h"
#include "lbsp/bsplib/spmd.hpp"

namespace lbsp::faces {

constexpr int word = sizeof(double);

/// Supersteps through the C++ interface, and the same through the C interface: on the same World, with the
/// same memory and the same messages. Each rank puts `puts` words to the next. Every other word, so that no
/// two puts join: each has a head of its own.
class Faces {
 public:
  /// The calls of bsp.h in this thread must go to `spmd`.
  Faces(bsplib::Spmd& spmd, std::size_t puts)
      : puts_(puts), memory_(2 * puts + 2), world_(spmd.world()), area_(world_, std::span(memory_)) {
    bsp_push_reg(memory_.data(), static_cast<int>(memory_.size()) * word);
    bsp_sync();
  }

  [[gnu::noinline]] void step_in_cpp() {
    const Rank to = (world_.rank() + 1) % world_.size();
    for (std::size_t i = 0; i < puts_; ++i)
      area_.put(to, 2 * i, value_);
    world_.sync();
  }

  [[gnu::noinline]] void step_in_c() {
    const int to = (bsp_pid() + 1) % bsp_nprocs();
    for (int i = 0; i < static_cast<int>(puts_); ++i)
      bsp_put(to, &value_, memory_.data(), 2 * i * word, word);
    bsp_sync();
  }

 private:
  std::size_t puts_;
  std::vector<double> memory_;
  World& world_;
  Area<double> area_;
  double value_ = 1;
};

/// How long a batch of supersteps took through each face.
struct Pair {
  std::chrono::duration<double> cpp;
  std::chrono::duration<double> c;
};

template <void (Faces::*step)()>
std::chrono::duration<double> batch(Faces& faces, std::size_t supersteps) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < supersteps; ++i)
    (faces.*step)();
  return std::chrono::steady_clock::now() - begin;
}

/// One batch at once after the other: what disturbs the machine falls on both, or on few pairs. Let the two
/// take turns in being first.
inline Pair measure(Faces& faces, std::size_t supersteps, bool c_first) {
  Pair pair{};
  if (c_first) pair.c = batch<&Faces::step_in_c>(faces, supersteps);
  pair.cpp = batch<&Faces::step_in_cpp>(faces, supersteps);
  if (!c_first) pair.c = batch<&Faces::step_in_c>(faces, supersteps);
  return pair;
}

/// Medians over the pairs.
struct Comparison {
  double cpp_seconds;  ///< of a superstep
  double c_seconds;
  double ratio;  ///< of C to C++
  double ratio_from;
  double ratio_to;  ///< with `ratio_from`: the 95 % confidence interval, whatever the distribution
};

/// The value below which the given part of the values lies.
inline double quantile(std::vector<double> values, double part) {
  const double last = static_cast<double>(values.size() - 1);
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(std::lround(std::clamp(part, 0.0, 1.0) * last));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

inline Comparison compare(const std::vector<Pair>& pairs, std::size_t supersteps) {
  std::vector<double> cpp;
  std::vector<double> c;
  std::vector<double> ratios;
  for (const Pair& pair : pairs) {
    cpp.push_back(pair.cpp.count());
    c.push_back(pair.c.count());
    ratios.push_back(pair.c / pair.cpp);
  }
  const auto each = static_cast<double>(supersteps);
  const double half_width = 0.98 / std::sqrt(static_cast<double>(pairs.size()));
  return {quantile(cpp, 0.5) / each, quantile(c, 0.5) / each, quantile(ratios, 0.5),
          quantile(ratios, 0.5 - half_width), quantile(ratios, 0.5 + half_width)};
}

}  // namespace lbsp::faces
