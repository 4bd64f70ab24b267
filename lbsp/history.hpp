#pragma once

/// What World::history() tells.
#include "lbsp/trace/history.hpp"
