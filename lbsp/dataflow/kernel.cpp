#include "lbsp/dataflow/kernel.hpp"

#include <fmt/format.h>

#include "transport/error.hpp"

namespace lbsp::dataflow {

std::int64_t Inputs::number(std::size_t which) const {
  if (which >= numbers_.size()) {
    throw UsageError(fmt::format("a kernel asks for number {} of a token that has {}: give it more by with()",
                                 which, numbers_.size()));
  }
  return numbers_[which];
}

std::span<const std::byte> Inputs::checked(std::size_t input, std::size_t value_bytes) const {
  if (input >= streams_.size()) {
    throw UsageError(fmt::format("a kernel asks for input {} of a token that reads {}: name more by reads()",
                                 input, streams_.size()));
  }
  if (streams_[input].size() % value_bytes != 0) {
    throw UsageError(
        fmt::format("a kernel reads values of {} bytes from an input of {}: read what was written",
                    value_bytes, streams_[input].size()));
  }
  return streams_[input];
}

StreamBytes& Outputs::checked(std::size_t output) {
  if (output >= streams_.size()) {
    throw UsageError(
        fmt::format("a kernel makes output {} of a token that writes {} streams: name more by writes()",
                    output, streams_.size()));
  }
  return streams_[output];
}

}  // namespace lbsp::dataflow
