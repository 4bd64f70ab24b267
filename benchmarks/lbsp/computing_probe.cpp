// Supersteps that compute as much as every other, and send bytes to the next rank.
//   computing_probe SUPERSTEPS ITERATIONS BYTES      under lbsp run; 10,000,000 iterations take some 14 ms
#include <cstdint>
#include <string>
#include <vector>

#include "lbsp/coarray.hpp"
#include "lbsp/job/run.hpp"
#include "transport/error.hpp"

namespace {

/// A chain of multiplications, which no compiler shortens.
std::uint64_t compute(std::uint64_t value, std::uint64_t iterations) {
  for (std::uint64_t i = 0; i < iterations; ++i)
    value = value * 6364136223846793005u + 1442695040888963407u;
  return value;
}

}  // namespace

int main(int count, char** words) {
  return lbsp::run([&](lbsp::World& world) {
    if (count != 4) throw lbsp::UsageError("give SUPERSTEPS ITERATIONS BYTES");
    const auto supersteps = std::stoull(words[1]);
    const auto iterations = std::stoull(words[2]);
    const auto bytes = std::stoull(words[3]);
    lbsp::Coarray<std::byte> inbox(world, bytes);
    world.sync();
    std::vector<std::byte> outbox(bytes);
    std::uint64_t value = 1;
    for (std::uint64_t i = 0; i < supersteps; ++i) {
      value = compute(value, iterations);
      outbox.front() = static_cast<std::byte>(value >> 56);
      inbox.put((world.rank() + 1) % world.size(), 0, outbox);
      world.sync();
    }
  });
}
