#pragma once

namespace lbsp::calibration {

/// The mean of those values of the list that are above 0; 0 if none is: 0 was not measured.
template <class List, class Value>
double mean_of_measured(const List& list, Value value) {
  double sum = 0;
  int count = 0;
  for (const auto& each : list) {
    sum += value(each);
    count += value(each) > 0;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace lbsp::calibration
