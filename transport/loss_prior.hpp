#pragma once

namespace lbsp::transport {

/// What is assumed of a path's loss before any of it is measured, and how many measured datagrams weigh as much.
struct LossPrior {
  double loss;
  double datagrams;
};
inline constexpr LossPrior loss_prior{.loss = 0.05, .datagrams = 20};

}  // namespace lbsp::transport
