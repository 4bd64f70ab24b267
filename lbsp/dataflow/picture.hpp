#pragma once

#include <string>
#include <vector>

#include "lbsp/dataflow/graph.hpp"
#include "lbsp/dataflow/structure.hpp"

namespace lbsp::dataflow {

/// A picture of the graph and of who ran what, in the language of Graphviz: a row for each level, a colour for each
/// rank, none for lost ones. A stream that went from one rank to another is drawn bold, any other one dotted; so is the
/// frame of a token that ran `again` (RunRecord::again; empty: none did). `dot -Tsvg` draws it.
std::string picture(const Graph& graph, const Mapping& mapping, const std::vector<bool>& again = {});

}  // namespace lbsp::dataflow
