#pragma once

namespace lbsp::model::pmm {

/// Fox's product of two M × M matrices on a mesh of q × q processes, N = q². In each of q iterations a row's root
/// broadcasts its block to the row, all multiply, and each passes a block to the process above it. The formulas are
/// those of the paper that compares Dryad with MPI; docs/predictors.md has them.

/// How a block reaches the q - 1 others of its row.
enum class Broadcast {
  flat,      ///< from the root to one after another, as Dryad does
  binomial,  ///< by a tree of ⌈log2 q⌉ levels, as MPI does
  pipeline,  ///< in pieces from one to the next
};

/// How long a process waits for its block.
enum class Overlap {
  average,  ///< the mean over the row, as processes drift apart: the paper's
  barrier,  ///< until the last of the row has it, as supersteps do
};

/// What the machines do.
struct Rates {
  double elements_per_second =
      0;                        ///< of 8 bytes, from one process to another: 1/t_c, for Dryad 1/(t_io + t_c)
  double flops_per_second = 0;  ///< 1/t_f
  double schedule_seconds = 0;  ///< t_s: to schedule one task; 0 where nothing is scheduled, as with MPI
  double startup_seconds =
      0;  ///< t_start: before a block's first element arrives; the paper's tables leave it out
};

struct Prediction {
  double communicate = 0;  ///< seconds; 0 on one process
  double compute = 0;      ///< seconds
  double schedule = 0;     ///< seconds
  double total = 0;        ///< seconds
  double efficiency = 0;   ///< compute on one process / (N · total)
  double overhead = 0;     ///< 1/efficiency - 1
};

/// q. Throws std::invalid_argument unless `nodes` is a square, at least 1.
double mesh_side(double nodes);

/// g: all iterations' communication, in transfers of M² elements.
double transfers(Broadcast broadcast, Overlap overlap, double nodes);

/// How many tasks' scheduling one process waits for, in all iterations.
double schedules(Overlap overlap, double nodes);

/// How many start-ups a process waits for, in all iterations. With `average`, one for each transfer, as in the paper's
/// equations 1 and 2. In supersteps all blocks of a process are on their way together: one for an iteration, or for
/// each of a tree's levels; the pipeline has two.
double startups(Broadcast broadcast, Overlap overlap, double nodes);

/// T = g M² t_c + start-ups + 2 M³/N t_f + scheduling (equations 5 and 9, and their forms with a barrier). Throws
/// std::invalid_argument if `nodes` is not a square, `order` no multiple of its root, or a rate not more than 0.
Prediction predict(Broadcast broadcast, Overlap overlap, double nodes, double order, const Rates& rates);

}  // namespace lbsp::model::pmm
