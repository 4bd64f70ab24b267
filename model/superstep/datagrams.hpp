#pragma once

#include "model/superstep/superstep.hpp"

namespace lbsp::model::superstep {

/// The datagrams in which a rank sends messages.
struct Datagrams {
  double bytes = 1400;          ///< UDP payload of a full one
  double overhead_bytes = 0;    ///< those of them that are not the message's
  double bytes_per_second = 0;  ///< UDP payload that a rank sends
};

/// Messages of `bytes` bytes each. An empty message takes a datagram too. Throws std::invalid_argument for
/// datagrams that are not larger than their overhead, for a rate that is not positive, and for negative
/// numbers.
Messages messages_of(double per_rank, double bytes, const Datagrams& datagrams);

}  // namespace lbsp::model::superstep
