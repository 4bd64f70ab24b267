#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "model/mathematics/require.hpp"

namespace lbsp::model::paper {

/// ln u, u = p^k: the probability that all k copies of a packet are lost, each with p, independently.
inline double log_all_copies_lost(double loss, int copies) {
  mathematics::require_loss(loss);
  mathematics::require_copies(copies);
  return loss == 0 ? -std::numeric_limits<double>::infinity() : copies * std::log(loss);
}

/// ln f, f = 1 - (1-u)² = u(2-u): the probability that the packet or its acknowledgement is lost with all its
/// copies.
inline double log_data_or_acknowledgement_lost(double log_u) {
  const double direct = log_u + std::log1p(-std::expm1(log_u));  // 2-u = 1 - expm1(ln u)
  if (direct <= -std::numbers::ln2) return direct;
  const double success = std::expm1(log_u);
  return std::log1p(-success * success);
}

}  // namespace lbsp::model::paper
