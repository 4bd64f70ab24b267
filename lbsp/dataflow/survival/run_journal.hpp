#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "lbsp/dataflow/level_end.hpp"
#include "lbsp/dataflow/run_record.hpp"
#include "lbsp/dataflow/structure.hpp"
#include "lbsp/dataflow/survival/holdings.hpp"
#include "lbsp/dataflow/survival/luggage.hpp"

namespace lbsp::dataflow::survival {

/// What a rank writes down of a run: which tokens have run, where and how often, and when levels ended. It is in the
/// run's state, so it outlives the world.
class RunJournal {
 public:
  using OnEnd = std::function<void(const LevelEnd&)>;

  /// All but `on_end` must outlive this. `ranks`: of this world. `on_end` is told of each end; none: nobody is.
  RunJournal(RunState& state, const Structure& structure, Rank ranks, OnEnd on_end);

  /// What all ranks know together in another world than before: what was computed when it changed, and not told any
  /// more, too. `again`: the tokens that must run again, ascending.
  void take_over(const Holdings& together, std::vector<TokenId> again);
  /// This rank has computed the token.
  void note_computed(TokenId token);
  /// All ranks have computed the level. `times`: this rank's, as Predictor::row().
  void note_end_of(const LevelRecord& level, Rank self, std::vector<Ticks> times);

  /// Whether a token that is to run in this world had run before it.
  bool runs_again(TokenId token) const;
  /// Tells the record what was before this world, too.
  void tell(RunRecord& record) const;

 private:
  void note_untold(const Holdings& together);
  void note_change(const Holdings& together);
  void note_ended(TokenId token);
  void note_end(std::size_t level, std::size_t tokens, std::size_t again);
  std::size_t level_of(TokenId token) const;

  RunState& state_;
  const Structure& structure_;
  Rank ranks_;
  OnEnd on_end_;
  std::vector<TokenId> again_;
};

}  // namespace lbsp::dataflow::survival
