#pragma once

#include <optional>
#include <string>

#include "model/tuning/program.hpp"
#include "tools/profile/profile.hpp"

namespace lbsp::tune {

/// What is to be run.
struct AlgorithmOptions {
  std::string name;      ///< matmul, fox, bitonic_sort, fft2d, jacobi or own
  double size = 0;       ///< N; not for own
  double sweeps = 1000;  ///< of jacobi
  double halo = 1;       ///< of jacobi
  model::tuning::OwnProgram own{};
};

/// A program of which the size is known, the nodes and their speed are not.
class Algorithm {
 public:
  /// Throws UsageError for a name that is not known.
  explicit Algorithm(AlgorithmOptions options);

  model::tuning::Program on(double nodes, double operations_per_second) const;
  /// The numbers of nodes that it can run on, up to `most`, rising.
  std::vector<double> admissible_nodes(double most) const;
  /// Those of them below and above such a number that it cannot run on, in words.
  std::string nearest_nodes(double nodes, double most) const;

  /// The halos that jacobi may have, rising about by a half each; {1} for all others.
  std::vector<double> halos() const;
  /// The same program with another halo.
  Algorithm with_halo(double halo) const;
  /// Empty for programs that have none.
  std::optional<double> halo() const;

  /// N of a product of N × N matrices; none of other programs.
  std::optional<double> matrix_order() const;

  /// Whether its work is counted in operations; that of an own program is in seconds.
  bool counts_operations() const { return options_.name != "own"; }
  /// Operations a second of its kind of work: that of a host as measured, if it was, …
  std::optional<double> rate_of(const profile::HostProfile& host) const;
  /// … and of a usual core.
  double usual_rate() const;

  /// The program with its arguments, as it stands behind `lbsp run --`; PROGRAM for an own one.
  std::string command() const;
  /// What keeps that command from running anywhere.
  std::vector<std::string> warnings() const;

 private:
  AlgorithmOptions options_;
};

}  // namespace lbsp::tune
