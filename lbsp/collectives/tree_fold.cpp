#include "lbsp/collectives/tree_fold.hpp"

#include <algorithm>

namespace lbsp::collectives {

void TreeFold::merge_last_two() {
  auto right = std::move(blocks_.back());
  blocks_.pop_back();
  auto& left = blocks_.back();
  left.first += right.first;
  combine_(left.second.data(), right.second.data(), left.second.data(), left.second.size() / element_bytes_);
}

void TreeFold::add(std::span<const std::byte> contribution) {
  blocks_.emplace_back(1, Bytes(contribution.begin(), contribution.end()));
  while (blocks_.size() > 1 && blocks_[blocks_.size() - 2].first == blocks_.back().first)
    merge_last_two();
}

void TreeFold::finish(std::span<std::byte> into) {
  while (blocks_.size() > 1)
    merge_last_two();
  std::ranges::copy(blocks_.front().second, into.begin());
  blocks_.clear();
}

}  // namespace lbsp::collectives
