// Two or three endpoints that exchange some supersteps while somebody with the job's key meddles with their
// datagrams (meddled_network.hpp). Each ends in time, with its messages intact or with a failure, and keeps
// little.
#include "tests/fuzz/meddled_network.hpp"

namespace lbsp::transport {
namespace {

using fuzz::require;
using namespace std::chrono_literals;

constexpr Duration peer_timeout = 2s;
constexpr std::uint64_t largest_message = 64 << 10;

Bytes patterned(Rank from, Rank to, std::size_t bytes) {
  return Bytes(bytes, static_cast<std::byte>(16 * from + to + 1));
}

/// What one rank's program does: supersteps of everyone to everyone, every second one with replies to the
/// next rank.
class Program {
 public:
  Program(Rank rank, std::size_t bytes, int supersteps) : rank_(rank), bytes_(bytes), legs_(2 * supersteps) {}

  /// Goes on if the rank has what it waited for.
  void go_on(MeddledNetwork& network) {
    Endpoint& endpoint = network.endpoint(rank_);
    if (finishing_ && endpoint.finished()) network.leave(rank_);
    if (finishing_ || endpoint.failure() || !endpoint.exchange_complete()) return;
    if (leg_ > 0) check(endpoint.take_messages(), network);
    if (leg_ % 4 == 3) ++leg_;  // a superstep without replies
    if (leg_ >= legs_) {
      finishing_ = true;
      return endpoint.begin_finish(network.now());
    }
    begin(endpoint, network);
  }

  bool ended(MeddledNetwork& network) const {
    return network.has_left(rank_) || network.endpoint(rank_).failure();
  }

 private:
  void begin(Endpoint& endpoint, MeddledNetwork& network) {
    const Rank size = network.size();
    awaited_.clear();
    std::vector<Rank> to;
    for (Rank i = 1; i < size; ++i) {
      to.push_back((rank_ + i) % size);
      awaited_.push_back((rank_ + i) % size);
    }
    const bool replies = leg_++ % 2 == 1;
    if (replies) {
      to.resize(1);
      awaited_.assign({(rank_ + size - 1) % size});
    }
    std::vector<Bytes> outgoing(static_cast<std::size_t>(size));
    for (const Rank other : to)
      outgoing[static_cast<std::size_t>(other)] = patterned(rank_, other, bytes_);
    if (replies) return endpoint.begin_reply(std::move(outgoing), to, awaited_, network.now());
    endpoint.begin_exchange(std::move(outgoing), network.now());
  }

  void check(const std::vector<Bytes>& messages, const MeddledNetwork& network) const {
    for (const Rank from : awaited_) {
      const Bytes& message = messages[static_cast<std::size_t>(from)];
      require(message.size() <= largest_message, "no message is above the ceiling");
      require(network.payload_forged() || message == patterned(from, rank_, bytes_), "a message is intact");
    }
  }

  Rank rank_;
  std::size_t bytes_;
  int legs_;
  int leg_ = 0;
  bool finishing_ = false;
  std::vector<Rank> awaited_;
};

void run(WireReader& input) {
  ExchangeOptions options;
  const auto choice = input.get<std::uint8_t>();
  options.recovery = static_cast<Recovery>(choice / 2 % 3);
  options.copies = 1 + choice / 8 % 2;
  options.datagram_bytes = min_datagram_bytes + 4 * std::size_t{input.get<std::uint8_t>()};
  options.max_message_bytes = largest_message;
  options.peer_timeout = peer_timeout;
  const Rank size = 2 + choice % 2;
  MeddledNetwork network(size, options, choice / 16 % 4);
  const std::size_t root = input.get<std::uint8_t>();
  const std::size_t bytes = root * root / 2;  // mostly little, as that is quick
  std::vector<Program> programs;
  programs.reserve(static_cast<std::size_t>(size));
  for (Rank rank = 0; rank < size; ++rank)
    programs.emplace_back(rank, bytes, 1 + choice / 64 % 4);

  const auto step = [&](auto act) {
    for (Program& program : programs)
      program.go_on(network);
    network.collect();
    act();
  };
  while (!input.rest().empty())
    step([&] { network.meddle(input); });
  // From here on nothing is lost.
  const Instant limit = network.now() + 30 * peer_timeout;
  // Of what is on its way, each datagram may be answered by one.
  const std::uint64_t most_datagrams = network.sent() + network.in_flight() + 20'000;
  const auto ended = [&] {
    return std::ranges::all_of(programs, [&](const Program& program) { return program.ended(network); });
  };
  while (!ended()) {
    bool happens = true;
    step([&] { happens = network.step(); });
    require(happens || ended(), "somebody always waits for something");
    require(network.now() < limit, "every wait has an end");
    require(network.sent() < most_datagrams, "nothing storms");
  }
}

}  // namespace
}  // namespace lbsp::transport

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lbsp::transport::WireReader input(lbsp::fuzz::bytes_of(data, size));
  lbsp::transport::run(input);
  return 0;
}
