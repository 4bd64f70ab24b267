#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transport/simulated/network.hpp"

namespace lbsp::bench {

/// A mean and how sure it is.
struct Mean {
  double value = 0;
  double standard_error = 0;
};

/// Who sends to whom: to the others nothing but the empty message that ends their wait.
enum class Pattern { all_to_all, ring };

/// A job of ranks that do one superstep after the other in virtual time, all beginning at once. Before each
/// the network has come to rest: what is measured is one superstep by itself.
class SimulatedSupersteps {
 public:
  SimulatedSupersteps(const transport::SimulationConfig& config, Pattern pattern, std::size_t bytes);

  /// Does one. Makes the next one's seconds and rounds known.
  void run();
  double seconds() const { return seconds_; }  ///< from the begin to the last rank's end
  double rounds() const { return rounds_; }    ///< of the rank that needed most; round recovery only
  double forecast_seconds() const { return forecast_; }  ///< what rank 0 expected; 0: it has no planner
  /// Datagrams with segments of all ranks so far.
  std::uint64_t segments_sent() const;

 private:
  void rest();
  void superstep(std::size_t bytes);

  transport::SimulatedNetwork network_;
  transport::Duration rest_;
  Pattern pattern_;
  std::size_t bytes_;
  double seconds_ = 0;
  double rounds_ = 0;
  double forecast_ = 0;
};

/// When to stop a measurement.
struct Effort {
  double standard_error = 0.01;  ///< of the mean seconds, relative; enough when reached …
  int fewest = 400;              ///< … after this many supersteps
  int most = 4000;
  double seconds = 3;  ///< of the processor's time, after which no other superstep is begun
};

struct Measurement {
  Mean seconds;
  Mean rounds;
  int supersteps = 0;
  std::vector<double> each_seconds;
};

Measurement measure(SimulatedSupersteps& job, const Effort& effort);

}  // namespace lbsp::bench
