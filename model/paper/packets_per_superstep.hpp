#pragma once

#include <array>
#include <string_view>

namespace lbsp::model::paper {

/// c(n): how the packets of a superstep, counted over the whole system, grow with the number of nodes. The
/// paper's six kinds, from slow to fast growth. Logarithms are to base 2.
enum class PacketsPerSuperstep { one, log2, log2_squared, n, n_log2, n_squared };

inline constexpr std::array all_packets_per_superstep{
    PacketsPerSuperstep::one, PacketsPerSuperstep::log2,   PacketsPerSuperstep::log2_squared,
    PacketsPerSuperstep::n,   PacketsPerSuperstep::n_log2, PacketsPerSuperstep::n_squared};

/// The name on a command line: 1, log2, log2sq, n, nlog2n, n2.
std::string_view name_of(PacketsPerSuperstep kind);

/// c(n) for n ≥ 1 nodes. One node sends nothing: 0, whatever the kind.
double packets_per_superstep(PacketsPerSuperstep kind, double nodes);

}  // namespace lbsp::model::paper
