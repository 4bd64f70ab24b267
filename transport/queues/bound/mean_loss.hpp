#pragma once

#include <cmath>

namespace lbsp::transport {

/// Datagrams that count in a mean of losses as much as all before them.
constexpr double memory_of_loss = 250;

/// Takes what so many datagrams have lost into a mean.
inline void add_to_mean(double& mean, double loss, double datagrams) {
  mean += (loss - mean) * datagrams / (datagrams + memory_of_loss);
}

/// The standard deviation of such a mean.
inline double chance_of_mean(double loss) {
  return std::sqrt(loss * (1 - loss) / (2 * memory_of_loss));
}

/// A mean is more than what is usual by `least`, and by so much more that it is no chance.
inline bool clearly_more_loss(double mean, double usual, double least) {
  constexpr double certainty = 3;  // standard deviations
  return mean - usual > least + certainty * chance_of_mean(usual);
}

}  // namespace lbsp::transport
