#include "tools/programs/sort/key_type.hpp"

namespace lbsp::programs::sort {

std::string_view name_of(KeyType type) {
  switch (type) {
    case KeyType::int32:
      return "int32";
    case KeyType::int64:
      return "int64";
    case KeyType::uint64:
      return "uint64";
    case KeyType::float32:
      return "float32";
    case KeyType::float64:
      break;
  }
  return "float64";
}

std::string_view descr_of(KeyType type) {
  switch (type) {
    case KeyType::int32:
      return "<i4";
    case KeyType::int64:
      return "<i8";
    case KeyType::uint64:
      return "<u8";
    case KeyType::float32:
      return "<f4";
    case KeyType::float64:
      break;
  }
  return "<f8";
}

std::string key_type_names() {
  std::string names;
  for (const KeyType type : all_key_types)
    names += (names.empty() ? "" : ", ") + std::string(name_of(type));
  return names;
}

}  // namespace lbsp::programs::sort
