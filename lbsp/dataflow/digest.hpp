#pragma once

#include <cstdint>
#include <string_view>

#include "transport/splitmix.hpp"

namespace lbsp::dataflow {

/// A number by which the ranks compare what must be the same on all of them.
class Digest {
 public:
  void add(std::uint64_t number) { value_ = transport::splitmix(value_ ^ number); }
  void add(std::string_view text) {
    add(text.size());
    for (const char each : text)
      add(static_cast<unsigned char>(each));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

}  // namespace lbsp::dataflow
