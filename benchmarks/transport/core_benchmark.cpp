#include <array>
#include <benchmark/benchmark.h>
#include <memory>
#include <numeric>
#include <vector>

#include "transport/core/endpoint.hpp"
#include "transport/messages/block_code.hpp"
#include "transport/redundancy.hpp"
#include "transport/udp/batches/send_batch.hpp"

/// What the protocol core costs without sockets: two endpoints hand each other datagrams directly, on one
/// core, so that the time is that of sending and receiving, sealing and opening included. Each datagram counts once.
namespace lbsp::transport::bench {
namespace {

using namespace std::chrono_literals;

class DirectPair {
 public:
  /// `at_once`: so many datagrams of one endpoint are written before the other reads them, as a driver does with all
  /// that go in one system call.
  DirectPair(Cipher cipher, std::size_t datagram_bytes, std::size_t at_once)
      : datagram_bytes_(datagram_bytes), buffer_(at_once * datagram_bytes), lengths_(at_once) {
    if (!cipher_available(cipher)) return;
    ExchangeOptions options;
    options.rate = megabits_per_second(1e6);
    options.datagram_bytes = datagram_bytes;
    for (Rank rank = 0; rank < 2; ++rank) {
      endpoints_[static_cast<std::size_t>(rank)] =
          std::make_unique<Endpoint>(EndpointConfig{rank, 2, options, JobKey{}, cipher, {}}, now_);
    }
  }

  bool usable() const { return endpoints_[0] != nullptr; }

  void superstep(std::size_t bytes) {
    for (Rank rank = 0; rank < 2; ++rank) {
      std::vector<Bytes> outgoing(2);
      Bytes& message = taken_[static_cast<std::size_t>(rank)];
      message.resize(bytes);
      outgoing[static_cast<std::size_t>(1 - rank)] = std::move(message);
      endpoint(rank).begin_exchange(std::move(outgoing), now_);
    }
    while (!endpoint(0).exchange_complete() || !endpoint(1).exchange_complete()) {
      const bool first = pass(0);
      const bool second = pass(1);
      if (!first && !second) now_ += 1us;
      for (Rank rank = 0; rank < 2; ++rank) {
        if (endpoint(rank).next_timeout() <= now_) endpoint(rank).handle_timeout(now_);
      }
    }
    // What has come is the memory of what goes next, as in a World (MessageBuffers).
    for (Rank rank = 0; rank < 2; ++rank)
      taken_[static_cast<std::size_t>(rank)] =
          std::move(endpoint(rank).take_messages()[static_cast<std::size_t>(1 - rank)]);
  }

  std::uint64_t datagrams() const {
    return endpoints_[0]->counters().datagrams_received + endpoints_[1]->counters().datagrams_received;
  }

 private:
  Endpoint& endpoint(Rank rank) { return *endpoints_[static_cast<std::size_t>(rank)]; }
  std::span<std::byte> place(std::size_t index) {
    return std::span(buffer_).subspan(index * datagram_bytes_, datagram_bytes_);
  }

  bool pass(Rank from) {
    std::size_t count = 0;
    for (; count < lengths_.size(); ++count) {
      const auto transmit = endpoint(from).poll_transmit(place(count), now_);
      if (!transmit) break;
      lengths_[count] = transmit->bytes;
    }
    for (std::size_t i = 0; i < count; ++i)
      endpoint(1 - from).handle_datagram(place(i).first(lengths_[i]), now_);
    return count > 0;
  }

  Instant now_{1s};
  std::size_t datagram_bytes_;
  std::vector<std::byte> buffer_;
  std::vector<std::size_t> lengths_;
  std::array<Bytes, 2> taken_;
  std::array<std::unique_ptr<Endpoint>, 2> endpoints_;
};

void core(benchmark::State& state, Cipher cipher, std::size_t datagram_bytes) {
  DirectPair pair(cipher, datagram_bytes, static_cast<std::size_t>(state.range(1)));
  if (!pair.usable()) {
    state.SkipWithError("this processor has no AES instructions");
    return;
  }
  const auto bytes = static_cast<std::size_t>(state.range(0));
  for (auto _ : state)  // NOLINT(clang-analyzer-deadcode.DeadStores): the library's own idiom
    pair.superstep(bytes);
  state.counters["datagrams"] =
      benchmark::Counter(static_cast<double>(pair.datagrams()), benchmark::Counter::kIsRate);
  state.SetBytesProcessed(state.iterations() * 2 * state.range(0));
}

constexpr auto batch = static_cast<std::int64_t>(SendBatch::most_datagrams);

BENCHMARK_CAPTURE(core, aes256_gcm_1400, Cipher::aes256_gcm, std::size_t{1400})
    ->ArgNames({"bytes", "at_once"})
    ->Args({0, 1})
    ->ArgsProduct({{64 << 10, 1 << 20}, {1, batch}});
BENCHMARK_CAPTURE(core, chacha20_1400, Cipher::chacha20_poly1305, std::size_t{1400})
    ->ArgNames({"bytes", "at_once"})
    ->Args({1 << 20, batch});
BENCHMARK_CAPTURE(core, aes256_gcm_8192, Cipher::aes256_gcm, std::size_t{8192})
    ->ArgNames({"bytes", "at_once"})
    ->Args({1 << 20, batch});

/// A block of segments as long as datagrams of 1400 bytes carry, and coded segments of it.
class CodedBlock {
 public:
  static constexpr std::size_t segment_bytes = 1400 - data_overhead_bytes;

  explicit CodedBlock(std::size_t segments) {
    for (std::size_t i = 0; i < segments; ++i)
      segments_.emplace_back(segment_bytes, static_cast<std::byte>(i * 37 + 1));
  }

  CodedSegment encode(int index) const {
    const std::vector<std::span<const std::byte>> sources(segments_.begin(), segments_.end());
    CodedSegment coded{index, Bytes(segment_bytes)};
    encode_segment(sources, index, coded.bytes);
    return coded;
  }

  /// Restores the first as many segments as there are coded ones.
  void decode(std::vector<CodedSegment> coded) {
    const std::vector<std::span<std::byte>> places(segments_.begin(), segments_.end());
    std::vector<std::uint32_t> missing(coded.size());
    std::iota(missing.begin(), missing.end(), 0u);
    decode_segments(places, missing, coded);
    benchmark::DoNotOptimize(segments_.front().data());
  }

 private:
  std::vector<Bytes> segments_;
};

/// Time for one coded segment of a block of range(0) segments.
void encode(benchmark::State& state) {
  const CodedBlock block(static_cast<std::size_t>(state.range(0)));
  int index = 0;
  for (auto _ : state)  // NOLINT(clang-analyzer-deadcode.DeadStores): the library's own idiom
    benchmark::DoNotOptimize(block.encode(index++ % most_repair_segments));
  state.SetItemsProcessed(state.iterations());
  state.SetBytesProcessed(state.iterations() * state.range(0) *
                          static_cast<std::int64_t>(CodedBlock::segment_bytes));
}

/// Time to restore range(1) lost segments of a block of range(0); "items" are restored segments.
void decode(benchmark::State& state) {
  CodedBlock block(static_cast<std::size_t>(state.range(0)));
  std::vector<CodedSegment> coded;
  for (int i = 0; i < state.range(1); ++i)
    coded.push_back(block.encode(i));
  for (auto _ : state)  // NOLINT(clang-analyzer-deadcode.DeadStores): the library's own idiom
    block.decode(coded);
  state.SetItemsProcessed(state.iterations() * state.range(1));
}

BENCHMARK(encode)->ArgName("segments")->Arg(8)->Arg(32)->Arg(64)->Arg(128);
BENCHMARK(decode)
    ->ArgNames({"segments", "lost"})
    ->Args({8, 1})
    ->Args({64, 1})
    ->Args({64, 6})
    ->Args({128, 1})
    ->Args({128, 12})
    ->Args({128, 128});

}  // namespace
}  // namespace lbsp::transport::bench
