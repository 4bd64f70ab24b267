#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lbsp/superstep/messages/layout.hpp"

namespace lbsp::dataflow {

/// The bytes of a stream. A stream is written once, by one token, and never changes.
using StreamBytes = std::vector<std::byte>;

/// A type whose values a stream can hold: they travel as they lie in memory.
template <class T>
concept StreamValue = std::is_trivially_copyable_v<T> && alignof(T) <= superstep::alignment;

/// What a token reads: its streams in the order in which reads() named them, and its numbers.
class Inputs {
 public:
  Inputs(std::vector<std::span<const std::byte>> streams, std::span<const std::int64_t> numbers)
      : streams_(std::move(streams)), numbers_(numbers) {}

  std::size_t count() const { return streams_.size(); }
  /// The values of an input. Throws UsageError if there is no such input, or if its bytes are not whole values.
  template <StreamValue T>
  std::span<const T> values(std::size_t input) const {
    const auto bytes = checked(input, sizeof(T));
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  /// A number that the program gave the token by with(). Throws UsageError if it gave fewer.
  std::int64_t number(std::size_t which) const;

 private:
  std::span<const std::byte> checked(std::size_t input, std::size_t value_bytes) const;

  std::vector<std::span<const std::byte>> streams_;
  std::span<const std::int64_t> numbers_;
};

/// What a token writes: its streams in the order in which writes() named them, empty until they are made.
class Outputs {
 public:
  explicit Outputs(std::size_t count) : streams_(count) {}

  std::size_t count() const { return streams_.size(); }
  /// Makes an output of so many values, all zero; they are to be filled before the kernel returns. Throws UsageError
  /// if there is no such output.
  template <StreamValue T>
  std::span<T> make(std::size_t output, std::size_t values) {
    StreamBytes& bytes = checked(output);
    bytes.assign(values * sizeof(T), std::byte{0});
    return {reinterpret_cast<T*>(bytes.data()), values};
  }
  /// Makes an output of these values.
  template <StreamValue T>
  void write(std::size_t output, std::span<const T> values) {
    const auto bytes = std::as_bytes(values);
    checked(output).assign(bytes.begin(), bytes.end());
  }

  std::vector<StreamBytes> take() { return std::move(streams_); }

 private:
  StreamBytes& checked(std::size_t output);

  std::vector<StreamBytes> streams_;
};

/// What tokens compute. It may run on any rank, and again if a rank is lost: what it writes depends on its inputs
/// alone.
using Compute = std::function<void(const Inputs&, Outputs&)>;

/// Makes an initial stream. It is called on each rank that runs a token which reads the stream, once, and gives the
/// same bytes there.
using Supply = std::function<StreamBytes()>;

}  // namespace lbsp::dataflow
