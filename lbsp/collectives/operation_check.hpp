#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>
#include <typeinfo>

#include "lbsp/superstep/agreement/check_value.hpp"

namespace lbsp::collectives {

/// Before main, so that a rank can name also what only another calls.
template <class Operation, class T>
inline const std::uint32_t type_check = superstep::remember(typeid(Operation), typeid(T));

/// A number for the operation that values of type T are combined with, for the ranks to compare. Two
/// functions have two numbers, and so have function objects of two types, each lambda a type of its own, and those of
/// one type with values of two types; what is inside a function object does not count, nor with a function T.
template <class T, class Operation>
std::uint32_t operation_check(const Operation& operation) {
  if constexpr (std::is_function_v<std::remove_pointer_t<Operation>>) {
    return superstep::check_of(reinterpret_cast<void (*)()>(operation));
  } else {
    return type_check<Operation, T>;
  }
}

}  // namespace lbsp::collectives
