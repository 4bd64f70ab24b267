#include "transport/rate/hidden_queue.hpp"

namespace lbsp::transport {
namespace {

constexpr int rounds_to_suspect = 3;
constexpr int rounds_of_suspicion = 15;

}  // namespace

HiddenQueue::Verdict HiddenQueue::judge(bool drops_unseen, double loss) {
  if (!drops_unseen) {
    rounds_ = 0;
    return Verdict::none;
  }
  ++rounds_;
  loss_ += (loss - loss_) / rounds_;
  if (rounds_ < rounds_to_suspect) return Verdict::none;
  if (rounds_ < rounds_of_suspicion) return Verdict::hidden;
  rounds_ = 0;
  return Verdict::own;
}

}  // namespace lbsp::transport
