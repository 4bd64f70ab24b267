#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lbsp::programs::sort {

/// What the keys of bitonic_sort can be.
enum class KeyType : std::uint8_t { int32, int64, uint64, float32, float64 };

inline constexpr KeyType all_key_types[] = {KeyType::int32, KeyType::int64, KeyType::uint64, KeyType::float32,
                                            KeyType::float64};

/// As NumPy names it: "float64".
std::string_view name_of(KeyType type);

/// As a .npy file names it: "<f8".
std::string_view descr_of(KeyType type);

/// The types' names, with commas.
std::string key_type_names();

/// Calls work.template operator()<T>() with T the C++ type.
template <class Work>
auto with_key_type(KeyType type, Work work) {
  switch (type) {
    case KeyType::int32:
      return work.template operator()<std::int32_t>();
    case KeyType::int64:
      return work.template operator()<std::int64_t>();
    case KeyType::uint64:
      return work.template operator()<std::uint64_t>();
    case KeyType::float32:
      return work.template operator()<float>();
    case KeyType::float64:
      break;
  }
  return work.template operator()<double>();
}

}  // namespace lbsp::programs::sort
