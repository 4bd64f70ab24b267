#pragma once

#include "lbsp/dataflow/run_record.hpp"
#include "lbsp/dataflow/structure.hpp"
#include "lbsp/world.hpp"

namespace lbsp::dataflow::running {

/// What the report of lbsp run has of a run: `"dataflow"` in its notes.
void note_run(World& world, const Structure& graph, const RunRecord& run);

}  // namespace lbsp::dataflow::running
