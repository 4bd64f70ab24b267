#pragma once

namespace lbsp::model::survival {

/// A program that saves its state now and then, and goes back to the newest one after a failure. Times are in seconds.
struct Saving {
  double cost = 0;              ///< so much longer the program takes for each state that it saves
  double between_failures = 0;  ///< the mean; of all that can fail, together
};

/// How long the program should work from one state to the next, not counting what saving costs. Failures are those of a
/// Poisson process.
///
/// J. T. Daly, *A higher order estimate of the optimum checkpoint interval for restart dumps*, 2006, equation (37): the
/// first terms are J. W. Young's, *A first order approximation to the optimum checkpoint interval*, 1974,
/// sqrt(2 cost between_failures). Where saving costs twice as long as the program lasts or more, that is all it can do.
/// Throws std::invalid_argument unless cost is finite and >= 0, and between_failures > 0, which may be infinite.
double best_interval(const Saving& saving);

/// How much longer than its work a program takes that saves its state after every `interval` of work, all failures
/// included: 0 is no longer. Daly's complete model, equation (13), whose least value best_interval() is near. `restart`:
/// from a failure until the program works again. Throws as above, and unless interval > 0 and restart >= 0.
double time_lost(const Saving& saving, double interval, double restart);

}  // namespace lbsp::model::survival
