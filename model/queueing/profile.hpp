#pragma once

#include <span>

namespace lbsp::model::queueing {

/// m(n), the mean bytes of a message of a program on n processes.
struct MessageLaw {
  enum class Form {
    power,      ///< a · n^-b
    hyperbola,  ///< a / n + b
  };
  Form form = Form::power;
  double a = 0;
  double b = 0;

  double bytes(double processes) const;
};

/// s(n) = c ln n + d, the messages that a process sends.
struct SendLaw {
  double c = 0;
  double d = 0;

  double sends(double processes) const;
};

/// What was profiled at one number of processes.
struct Profiled {
  double processes = 1;
  double value = 0;  ///< bytes of a message, or sends of a process
};

/// The law of that form by least squares: of a power in logarithms, as the paper has it. Throws std::invalid_argument
/// unless there are two different numbers of processes, and values above 0.
MessageLaw fit_messages(std::span<const Profiled> profile, MessageLaw::Form form);
/// Whichever form has the smaller sum of squared relative errors.
MessageLaw fit_messages(std::span<const Profiled> profile);
/// Throws what fit_messages() throws.
SendLaw fit_sends(std::span<const Profiled> profile);

}  // namespace lbsp::model::queueing
