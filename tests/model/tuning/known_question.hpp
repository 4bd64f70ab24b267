#pragma once

#include <utility>
#include <vector>

#include "model/tuning/tuner.hpp"
#include "tests/model/superstep/known_protocol.hpp"
#include "tests/model/tuning/known_path.hpp"

namespace lbsp::model::tuning {

/// What is known already of the networks of known_path.hpp.
inline UsualTimes& usual() {
  static UsualTimes times(superstep::known_protocol());
  return times;
}

inline TuningQuestion question(double loss, const ProgramOf& program, std::vector<double> nodes) {
  return {.program = program,
          .paths =
              [loss](double) {
                return std::vector{path(512, loss), path(1400, 1.5 * loss)};
              },
          .nodes = std::move(nodes),
          .usual = usual()};
}

inline TuningQuestion matrices(double loss, double size = 6000) {
  return question(
      loss, [size](double nodes) { return matmul_program(size, nodes, flops); },
      admissible_nodes(Admissible::squares, 64));
}

inline TuningQuestion grid(double loss) {
  return question(
      loss,
      [](double nodes) {
        return jacobi_program({20'000, 100}, nodes, flops);
      },
      admissible_nodes(Admissible::any, 40));
}

}  // namespace lbsp::model::tuning
