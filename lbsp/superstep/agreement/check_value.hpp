#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <typeinfo>

/// Numbers that stand for names and functions, which the ranks compare. They are the same on every rank,
/// because all run the same build. A rank can say what another rank's number stands for if its own program
/// has it too.
namespace lbsp::superstep {

/// Stands for nothing.
inline constexpr std::uint32_t no_check = 0;

/// Functions have this bit, names do not.
inline constexpr std::uint32_t function_bit = 0x80000000;

/// FNV-1a (Fowler, Noll, Vo), of which names keep 31 bits.
constexpr std::uint32_t check_of(std::string_view name) {
  std::uint32_t hash = 2166136261U;
  for (const char letter : name)
    hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
  return (hash & ~function_bit) | (hash == no_check ? 1U : 0U);
}

/// Remembers the name for check_text(), and returns its number.
std::uint32_t remember(std::string name);

/// Remembers the compiler's names of an operation's type and of what it combines, such as "std::plus<void> of int", and
/// returns the number of both.
std::uint32_t remember(const std::type_info& operation, const std::type_info& values);

/// A function's number: its place in the program. 0 if it is not in the program but in a shared library.
std::uint32_t check_of(void (*function)());

/// What the number stands for: a name, or "the function at 0x11c9 of the program".
std::string check_text(std::uint32_t check);

}  // namespace lbsp::superstep
