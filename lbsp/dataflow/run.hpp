#pragma once

#include "lbsp/dataflow/graph.hpp"
#include "lbsp/dataflow/run_options.hpp"
#include "lbsp/dataflow/run_record.hpp"
#include "lbsp/world.hpp"

namespace lbsp::dataflow {

/// Runs a graph. All ranks call it together with the same graph and options, and each computes some of the tokens.
/// Which ones, every rank works out for itself, alike, by L-HEFT (mapper.hpp). What its tokens took and wrote, and what
/// its network is like, each rank tells the others with the streams that they need. So the plan of a level knows the
/// times of the levels before the last one. What a stream costs is what the superstep is expected to take longer for it
/// (collectives/choice.hpp), with the losses and delays that were measured.
///
/// A rank keeps a stream until no level reads it any more; longer, where the job goes on when ranks are lost.
///
/// There the run goes on, too, when lbsp::run calls the program again in another world. Each rank has kept what it had
/// (World::luggage()), and tells the others so in a superstep more. Tokens that wrote streams which lost ranks alone
/// had, and which are needed, run again, the lowest level first; then the run goes on where it was. A new process is
/// one more rank that holds nothing. Every call of the program must make the same graph, with the same initial streams.
/// In a step of a program that saves states (lbsp/steps.hpp), the run begins again instead, as the step does.
///
/// Cost: a superstep for each level, in which a stream goes once to each rank that lacks it, and one for the results.
/// Copies go in supersteps more, while tokens compute, where that takes longer than such a superstep.
/// Throws UsageError: the graph does not pass check(), or the ranks disagree; Error if a kernel throws, with the
/// token's name and what the kernel said.
RunRecord run(World& world, const Graph& graph, const RunOptions& options = {});

}  // namespace lbsp::dataflow
