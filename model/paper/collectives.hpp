#pragma once

#include "model/paper/workload.hpp"

namespace lbsp::model::paper {

/// Collective operations as workloads that compute nothing; cost_of() gives their time. There are P ≥ 1
/// nodes, `bytes` per message (broadcast) or per node (all-gather), and packets of `packet_bytes`. All throw
/// std::invalid_argument for numbers that are not positive.

/// Binomial tree: in step s = 1..⌈log2 P⌉ each of up to 2^(s-1) nodes that have the message sends it to one
/// more. The busiest node sends a whole message in each step; the paper averages it over all P.
Workload binomial_broadcast(double bytes, double nodes, double packet_bytes);

/// Van de Geijn: scatter over a binomial tree, halving the message in each step, then a ring all-gather of
/// the P pieces.
Workload van_de_geijn_broadcast(double bytes, double nodes, double packet_bytes);

/// Ring all-gather: P-1 steps, in each of which every node passes on one contribution.
Workload ring_allgather(double bytes, double nodes, double packet_bytes);

/// Recursive doubling: log2 P steps. In step s = 0.. every node sends the 2^s contributions that it has. P
/// must be a power of 2.
Workload recursive_doubling_allgather(double bytes, double nodes, double packet_bytes);

/// Bruck: ⌈log2 P⌉ steps for any P, the last of them shorter.
Workload bruck_allgather(double bytes, double nodes, double packet_bytes);

}  // namespace lbsp::model::paper
