#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace lbsp::transport {

/// The place of a process in a job, for as long as the job runs. At the start it is the process's rank; when a world
/// shrinks, the ranks of those that remain are counted anew, and their slots stay.
using Slot = int;

/// Some of a job's slots: a plain value.
class MemberSet {
 public:
  /// No job that agrees on its members has more.
  static constexpr Slot most = 256;

  constexpr MemberSet() = default;
  constexpr MemberSet(std::initializer_list<Slot> slots) {
    for (const Slot slot : slots)
      add(slot);
  }
  /// The slots 0 … count-1.
  static constexpr MemberSet first(Slot count) {
    MemberSet all;
    for (Slot slot = 0; slot < count; ++slot)
      all.add(slot);
    return all;
  }

  constexpr void add(Slot slot) { words_[word(slot)] |= bit(slot); }
  constexpr void remove(Slot slot) { words_[word(slot)] &= ~bit(slot); }
  constexpr bool has(Slot slot) const {
    return slot >= 0 && slot < most && (words_[word(slot)] & bit(slot)) != 0;
  }

  constexpr Slot count() const {
    Slot sum = 0;
    for (const std::uint64_t bits : words_)
      sum += std::popcount(bits);
    return sum;
  }
  constexpr bool empty() const { return *this == MemberSet{}; }
  /// -1 of an empty set.
  constexpr Slot lowest() const {
    for (std::size_t i = 0; i < words; ++i) {
      if (words_[i] != 0) return static_cast<Slot>(64 * i) + std::countr_zero(words_[i]);
    }
    return -1;
  }
  /// One above the highest slot; 0 of an empty set.
  constexpr Slot bound() const {
    for (std::size_t i = words; i-- > 0;) {
      if (words_[i] != 0) return static_cast<Slot>(64 * (i + 1)) - std::countl_zero(words_[i]);
    }
    return 0;
  }
  /// How many slots of the set are below this one: the rank of a member.
  constexpr Slot below(Slot slot) const { return (*this & first(slot)).count(); }
  constexpr bool contains(const MemberSet& others) const { return (others - *this).empty(); }

  template <class Action>
  constexpr void for_each(Action action) const {
    for (std::size_t i = 0; i < words; ++i) {
      for (std::uint64_t bits = words_[i]; bits != 0; bits &= bits - 1)
        action(static_cast<Slot>(64 * i) + std::countr_zero(bits));
    }
  }

  friend constexpr MemberSet operator&(MemberSet left, const MemberSet& right) {
    for (std::size_t i = 0; i < words; ++i)
      left.words_[i] &= right.words_[i];
    return left;
  }
  friend constexpr MemberSet operator|(MemberSet left, const MemberSet& right) {
    for (std::size_t i = 0; i < words; ++i)
      left.words_[i] |= right.words_[i];
    return left;
  }
  friend constexpr MemberSet operator-(MemberSet left, const MemberSet& right) {
    for (std::size_t i = 0; i < words; ++i)
      left.words_[i] &= ~right.words_[i];
    return left;
  }
  friend constexpr bool operator==(const MemberSet&, const MemberSet&) = default;

 private:
  static constexpr std::size_t words = most / 64;
  static constexpr std::size_t word(Slot slot) { return static_cast<std::size_t>(slot) / 64; }
  static constexpr std::uint64_t bit(Slot slot) { return std::uint64_t{1} << (slot % 64); }

  std::array<std::uint64_t, words> words_{};
};

}  // namespace lbsp::transport
