// The calls of bsp_level1.h that take and return one value.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <type_traits>
#include <vector>

#include "lbsp/bsplib/bsp.h"
#include "lbsp/bsplib/bsp_level1.h"
#include "lbsp/bsplib/level1.hpp"

namespace lbsp::bsplib {
namespace {

/// Integers wrap around, as they do in Oxford's library.
template <class T, class Operation>
T wrapped(Operation operation, T left, T right) {
  if constexpr (std::is_integral_v<T>) {
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(operation(static_cast<Unsigned>(left), static_cast<Unsigned>(right)));
  } else {
    return operation(left, right);
  }
}

struct Sum {
  template <class T>
  T operator()(T left, T right) const {
    return wrapped(std::plus{}, left, right);
  }
};

struct Product {
  template <class T>
  T operator()(T left, T right) const {
    return wrapped(std::multiplies{}, left, right);
  }
};

struct Least {
  template <class T>
  T operator()(T left, T right) const {
    return std::min(left, right);
  }
};

struct Greatest {
  template <class T>
  T operator()(T left, T right) const {
    return std::max(left, right);
  }
};

struct Both {
  int operator()(int left, int right) const { return left != 0 && right != 0 ? 1 : 0; }
};

struct Either {
  int operator()(int left, int right) const { return left != 0 || right != 0 ? 1 : 0; }
};

template <class T, class Operation>
void combine_values(void* result, void* left, void* right, int*) {
  *static_cast<T*>(result) = Operation{}(*static_cast<T*>(left), *static_cast<T*>(right));
}

template <class Operation, class T>
T of_all(const char* call, T value) {
  reduce(call, combine_values<T, Operation>, &value, &value, sizeof(value), Over::all);
  return value;
}

template <class Operation, class T>
T up_to_this(const char* call, T value) {
  reduce(call, combine_values<T, Operation>, &value, &value, sizeof(value), Over::up_to_this);
  return value;
}

template <class T>
T sorted(const char* call, T value) {
  const auto bytes = gather_everywhere(call, &value, sizeof(value));
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(bsp_pid())];
}

}  // namespace
}  // namespace lbsp::bsplib

namespace face = lbsp::bsplib;

// NAME of bsp_NAMEI, bsp_NAMER and bsp_NAMED, and of their prefix forms.
#define LBSP_VALUE_CALLS(name, operation)                                     \
  int bsp_##name##I(int value) {                                              \
    return face::of_all<face::operation>("bsp_" #name "I", value);            \
  }                                                                           \
  float bsp_##name##R(float value) {                                          \
    return face::of_all<face::operation>("bsp_" #name "R", value);            \
  }                                                                           \
  double bsp_##name##D(double value) {                                        \
    return face::of_all<face::operation>("bsp_" #name "D", value);            \
  }                                                                           \
  int bsp_##name##I_prefix(int value) {                                       \
    return face::up_to_this<face::operation>("bsp_" #name "I_prefix", value); \
  }                                                                           \
  float bsp_##name##R_prefix(float value) {                                   \
    return face::up_to_this<face::operation>("bsp_" #name "R_prefix", value); \
  }                                                                           \
  double bsp_##name##D_prefix(double value) {                                 \
    return face::up_to_this<face::operation>("bsp_" #name "D_prefix", value); \
  }

extern "C" {

LBSP_VALUE_CALLS(sum, Sum)
LBSP_VALUE_CALLS(product, Product)
LBSP_VALUE_CALLS(min, Least)
LBSP_VALUE_CALLS(max, Greatest)

int bsp_all(int value) {
  return face::of_all<face::Both>("bsp_all", value == 0 ? 0 : 1);
}

int bsp_any(int value) {
  return face::of_all<face::Either>("bsp_any", value == 0 ? 0 : 1);
}

int bsp_sortI(int value) {
  return face::sorted("bsp_sortI", value);
}

float bsp_sortR(float value) {
  return face::sorted("bsp_sortR", value);
}

double bsp_sortD(double value) {
  return face::sorted("bsp_sortD", value);
}

char bsp_sortC(char value) {
  return face::sorted("bsp_sortC", value);
}

}  // extern "C"
