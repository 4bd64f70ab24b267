#pragma once

#include <cstdint>
#include <vector>

#include "transport/units.hpp"

namespace lbsp::trace {

struct BytesTo {
  Rank rank = 0;
  std::uint64_t bytes = 0;

  friend bool operator==(const BytesTo&, const BytesTo&) = default;
};

/// What the loss, the times and the rates were, as far as measured; 0 where not.
struct Network {
  double loss = 0;  ///< one way
  transport::Duration round_trip{0};
  transport::BytesPerSecond rate{0};       ///< at which this rank sends
  transport::BytesPerSecond bandwidth{0};  ///< the best at which a message has arrived

  friend bool operator==(const Network&, const Network&) = default;
};

/// What a trace has of a superstep on one rank beyond what it cost. All is 0 of a short one that sends nothing.
struct Figures {
  /// Of the time between two syncs, that without the processor, which others had: see ProcessorTime.
  transport::Duration without_processor{0};
  /// Of the time in sync(), that after the last message had come.
  transport::Duration after_messages{0};
  /// Processor time of the rank's network thread since the last superstep that has some; read as rarely as the
  /// program's (ProcessorTime).
  transport::Duration network_thread{0};
  Network network;          ///< when the superstep ended; of several supersteps, the last
  std::vector<BytesTo> to;  ///< bytes to each other rank, by rank; none that got nothing

  /// Adds what came after this.
  Figures& operator+=(const Figures& next);

  friend bool operator==(const Figures&, const Figures&) = default;
};

}  // namespace lbsp::trace
