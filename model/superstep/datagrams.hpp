#pragma once

#include "model/superstep/superstep.hpp"

namespace lbsp::model::superstep {

/// What a rank sends messages in.
struct Datagrams {
  double bytes = 1400;          ///< UDP payload of a full one
  double overhead_bytes = 0;    ///< of these, which are not the message's
  double bytes_per_second = 0;  ///< UDP payload that a rank sends
};

/// Messages of that many bytes each. An empty one takes a datagram too. Throws std::invalid_argument for
/// datagrams not larger than their overhead, a rate that is not positive, negative numbers.
Messages messages_of(double per_rank, double bytes, const Datagrams& datagrams);

}  // namespace lbsp::model::superstep
