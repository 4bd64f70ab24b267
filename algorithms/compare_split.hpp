#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace lbsp::algorithms {

/// The two halves of a compare-split. Two ranks have a sorted block each; of both blocks together, one rank
/// keeps the first part and the other the rest. Among equal elements those of the first rank's block come
/// first. So the two halves, made on different ranks, have every element once.
///
/// `kept` is resized, and what it held is lost. Each function does as many comparisons as it keeps elements,
/// but hardly any if nothing changes hands.

/// For the rank that keeps the first `count` elements of both blocks together.
template <class T, class Less>
void keep_first(std::span<const T> own, std::span<const T> theirs, std::size_t count, std::vector<T>& kept,
                Less less) {
  kept.resize(count);
  if (own.size() == count && (theirs.empty() || count == 0 || !less(theirs.front(), own.back()))) {
    std::ranges::copy(own, kept.begin());
    return;
  }
  const T* a = own.data();
  const T* b = theirs.data();
  const T* const a_end = a + own.size();
  const T* const b_end = b + theirs.size();
  T* out = kept.data();
  T* const out_end = out + count;
  while (out != out_end && a != a_end && b != b_end) {
    // Within so many steps neither block ends, so the loop checks no bounds and has no branch to predict.
    auto steps = std::min({a_end - a, b_end - b, out_end - out});
    for (; steps > 0; --steps) {
      const bool take_b = less(*b, *a);
      *out++ = take_b ? *b : *a;
      a += !take_b;
      b += take_b;
    }
  }
  out = std::copy_n(a, std::min(a_end - a, out_end - out), out);
  std::copy_n(b, out_end - out, out);
}

/// For the rank that keeps the last `count`; `theirs` is the block of the rank that keeps the first.
template <class T, class Less>
void keep_last(std::span<const T> own, std::span<const T> theirs, std::size_t count, std::vector<T>& kept,
               Less less) {
  kept.resize(count);
  if (own.size() == count && (theirs.empty() || count == 0 || !less(own.front(), theirs.back()))) {
    std::ranges::copy(own, kept.begin());
    return;
  }
  const T* a = own.data() + own.size();
  const T* b = theirs.data() + theirs.size();
  const T* const a_begin = own.data();
  const T* const b_begin = theirs.data();
  T* const out_begin = kept.data();
  T* out = out_begin + count;
  while (out != out_begin && a != a_begin && b != b_begin) {
    auto steps = std::min({a - a_begin, b - b_begin, out - out_begin});
    for (; steps > 0; --steps) {
      const bool take_b = less(*(a - 1), *(b - 1));
      *--out = take_b ? *(b - 1) : *(a - 1);
      a -= !take_b;
      b -= take_b;
    }
  }
  const auto rest = std::min(a - a_begin, out - out_begin);
  out = std::copy_backward(a - rest, a, out);
  std::copy_backward(b - (out - out_begin), b, out);
}

}  // namespace lbsp::algorithms
