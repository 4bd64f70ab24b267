#pragma once

#include "model/superstep/superstep.hpp"
#include "transport/options.hpp"

namespace lbsp::plan {

/// What options whose redundancy is fixed give a message of so many segments.
model::superstep::Protection given_protection(const transport::ExchangeOptions& options, int segments);

}  // namespace lbsp::plan
