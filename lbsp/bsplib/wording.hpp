#pragma once

#include "lbsp/superstep/agreement/wording.hpp"

namespace lbsp::bsplib {

/// Errors name the calls of bsp.h.
extern const superstep::Wording c_wording;

}  // namespace lbsp::bsplib
