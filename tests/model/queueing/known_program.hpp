#pragma once

#include <vector>

#include "model/queueing/prediction.hpp"

namespace lbsp::model::queueing {

/// A program and hosts whose times are known.
inline const Workload work{0.85, {MessageLaw::Form::power, 2e6, 0.5}, {900, 4000}, 0, 8e-9};
inline const Constants truth{2400, 1.3};
inline const std::vector<Host> four_hosts(4, Host{8});

}  // namespace lbsp::model::queueing
