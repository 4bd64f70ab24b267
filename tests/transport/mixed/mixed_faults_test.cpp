#include <atomic>
#include <cstring>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <optional>

#include "tests/transport/mixed/mixed_job.hpp"
#include "transport/error.hpp"
#include "transport/impairment/random.hpp"

/// Every fault at once between hosts with several ranks each, over some seeds: messages of all kinds, within hosts and
/// between them, arrive once and intact; and if a rank leaves or ends the job anywhere, all others hear of it.
namespace lbsp::transport {
namespace {

using ::testing::HasSubstr;

/// What all ranks know of a job that is drawn from a seed.
class DrawnJob {
 public:
  static constexpr int supersteps = 8;

  explicit DrawnJob(std::uint64_t seed) : seed_(seed) {
    Random random(seed);
    const std::vector<std::vector<Rank>> places{{2, 2}, {3, 1}, {2, 3}, {1, 2, 2}};
    hosts_ = places[random.below(places.size())];
    for (const Rank ranks : hosts_)
      size_ += ranks;
    wan_ = fmt::format(
        "loss={:.1f}%,burst={:.1f},rtt={}us,jitter={}us,reorder={:.1f}%,duplicate={:.1f}%,corrupt={:.1f}%",
        2 + 18 * random.unit(), 1 + 3 * random.unit(), 200 + random.below(1500), random.below(200),
        10 * random.unit(), 10 * random.unit(), 2 * random.unit());
    largest_ = random.below(4) == 0 ? 200'000 : 8'000;
  }

  const std::vector<Rank>& hosts() const { return hosts_; }
  const std::string& wan() const { return wan_; }
  Rank size() const { return size_; }
  /// Of a rank without one nobody hears before the peer timeout that it has left.
  Rank first_with_neighbour() const { return hosts_.front() > 1 ? 0 : hosts_.front(); }

  /// What one rank sends another in a superstep, in the first leg, as a reply or as an offer.
  enum class Kind : std::uint8_t { first_leg, reply, offer };
  Bytes message(Kind kind, int step, Rank from, Rank to) const {
    Random random = about(kind, step, from, to);
    Bytes bytes(sends_alike(step, from) && kind == Kind::first_leg ? Lending::alike_bytes
                                                                   : size_from(kind, random));
    for (std::byte& byte : bytes)
      byte = static_cast<std::byte>(random.next());
    return bytes;
  }
  /// Whether it sends one message to all.
  bool sends_alike(int step, Rank from) const { return about(Kind::first_leg, step, from, 99).below(3) == 0; }
  bool replies(int step, Rank from, Rank to) const {
    return from != to && about(Kind::reply, step, 99, 10 * from + to).below(4) == 0;
  }
  bool offers(int step, Rank from, Rank to) const {
    return from != to && !sends_alike(step, from) &&
           about(Kind::offer, step, 99, 10 * from + to).below(2) == 0;
  }

 private:
  Random about(Kind kind, int step, Rank from, Rank to) const {
    const auto of = [](auto value) { return static_cast<std::uint64_t>(value); };
    return Random(seed_ * 1'000'003 + of(kind) * 500'009 + of(step) * 1009 + of(from) * 131 + of(to));
  }
  std::size_t size_from(Kind kind, Random& random) const {
    if (kind == Kind::offer) return 70'000 + random.below(100'000);
    const std::uint64_t drawn = random.below(4);
    return drawn == 0 ? 8 : 8 + random.below(drawn == 1 ? 100 : largest_);
  }

  std::uint64_t seed_;
  std::vector<Rank> hosts_;
  Rank size_ = 0;
  std::string wan_;
  std::size_t largest_ = 0;
};

using Kind = DrawnJob::Kind;

std::size_t place_of(Rank rank) {
  return static_cast<std::size_t>(rank);
}

/// One rank's supersteps of a drawn job.
class FaultyRank {
 public:
  FaultyRank(Exchange& exchange, const DrawnJob& job)
      : exchange_(exchange), job_(job), lending_(exchange.lending()), self_(exchange.rank()) {}

  void run(int step) {
    step_ = step;
    exchange_first_leg();
    fetch_offers();
    if (step_ % 2 == 0) exchange_replies();
    if (lending_ != nullptr) lending_->settle(Lending::Leg::first, owners_, readers_);
  }

 private:
  /// Its first eight bytes are the address of an offer, or 0. One message to all has none.
  void exchange_first_leg() {
    arrived_.assign(place_of(job_.size()), {});
    readers_.clear();
    offered_.clear();
    if (lending_ != nullptr && job_.sends_alike(step_, self_)) {
      const Bytes message = job_.message(Kind::first_leg, step_, self_, 0);
      const auto arrived = lending_->exchange_alike(Lending::Alike(message), [] {});
      for (Rank from = 0; from < job_.size(); ++from)
        arrived_[place_of(from)].assign(arrived[place_of(from)].begin(), arrived[place_of(from)].end());
      return;
    }
    std::vector<Bytes> outgoing(place_of(job_.size()));
    for (Rank to = 0; to < job_.size(); ++to) {
      if (to == self_) continue;
      outgoing[place_of(to)] =
          job_.message(Kind::first_leg, step_, self_, job_.sends_alike(step_, self_) ? 0 : to);
      if (job_.sends_alike(step_, self_)) continue;
      const std::uint64_t address = offer_to(to);
      std::memcpy(outgoing[place_of(to)].data(), &address, sizeof address);
    }
    arrived_ = exchange_.exchange(std::move(outgoing));
  }

  std::uint64_t offer_to(Rank to) {
    if (lending_ == nullptr || !job_.offers(step_, self_, to)) return 0;
    const bool never = lending_->least_offer(to) == std::numeric_limits<std::size_t>::max();
    if (never) return 0;
    offered_.push_back(job_.message(Kind::offer, step_, self_, to));
    readers_.push_back(to);
    return lending_->offer(to, offered_.back());
  }

  void fetch_offers() {
    owners_.clear();
    for (Rank from = 0; from < job_.size(); ++from) {
      if (from == self_) continue;
      const bool alike = job_.sends_alike(step_, from);
      Bytes& message = arrived_[place_of(from)];
      Bytes expected = job_.message(Kind::first_leg, step_, from, alike ? 0 : self_);
      ASSERT_EQ(message.size(), expected.size()) << "in superstep " << step_ << " from " << from;
      std::uint64_t address = 0;
      if (!alike) {
        std::memcpy(&address, message.data(), sizeof address);
        std::memcpy(expected.data(), &address, sizeof address);
      }
      ASSERT_TRUE(message == expected) << "in superstep " << step_ << " from " << from;
      if (address == 0) continue;
      const Bytes offered = job_.message(Kind::offer, step_, from, self_);
      Bytes fetched(offered.size());
      lending_->fetch(from, address, fetched);
      owners_.push_back(from);
      ASSERT_TRUE(fetched == offered) << "in superstep " << step_ << " from " << from;
    }
  }

  void exchange_replies() {
    std::vector<Bytes> outgoing(place_of(job_.size()));
    std::vector<Rank> destinations;
    std::vector<Rank> sources;
    for (Rank other = 0; other < job_.size(); ++other) {
      if (job_.replies(step_, self_, other)) {
        destinations.push_back(other);
        outgoing[place_of(other)] = job_.message(Kind::reply, step_, self_, other);
      }
      if (job_.replies(step_, other, self_)) sources.push_back(other);
    }
    const auto replies = exchange_.reply(std::move(outgoing), destinations, sources);
    for (const Rank from : sources)
      ASSERT_TRUE(replies[place_of(from)] == job_.message(Kind::reply, step_, from, self_))
          << "in superstep " << step_ << " from " << from;
  }

  Exchange& exchange_;
  const DrawnJob& job_;
  Lending* lending_;
  Rank self_;
  int step_ = 0;
  std::vector<Bytes> arrived_;  ///< by source
  std::vector<Bytes> offered_;  ///< until it is settled
  std::vector<Rank> readers_;   ///< of what this rank has offered
  std::vector<Rank> owners_;    ///< of what it has fetched
};

class EveryFaultInAMixedJob : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(EveryFaultInAMixedJob, every_message_arrives_once_and_intact) {
  const DrawnJob drawn(GetParam());
  MixedJob job(drawn.hosts(), drawn.wan());
  std::atomic<std::uint64_t> repeated{0};  // a single rank with little to send may be lucky
  const auto errors = job.run([&](Exchange& exchange) {
    FaultyRank rank(exchange, drawn);
    for (int step = 0; step < DrawnJob::supersteps; ++step)
      rank.run(step);
    exchange.last_exchange(std::vector<Bytes>(place_of(exchange.size())));
    exchange.finish();
    repeated += exchange.counters().segments_resent + exchange.counters().copies_sent;
  });
  EXPECT_GT(repeated, 0U) << drawn.wan() << " lost nothing";
  EXPECT_EQ(errors, std::vector<std::string>(place_of(drawn.size()))) << drawn.wan();
}

/// As lbsp::run does it, a rank that learns of an error tells the ranks of other hosts, which else wait for the peer
/// timeout.
TEST_P(EveryFaultInAMixedJob, all_hear_of_a_rank_that_leaves_or_ends_the_job) {
  const DrawnJob drawn(GetParam());
  Random random(GetParam() + 1000);
  const bool leaves = GetParam() % 2 == 0;
  const Rank culprit =
      leaves ? drawn.first_with_neighbour() : static_cast<Rank>(random.below(place_of(drawn.size())));
  const int last_step = static_cast<int>(random.below(DrawnJob::supersteps));
  MixedJob job(drawn.hosts(), drawn.wan());
  const auto errors = job.run([&](Exchange& exchange) {
    FaultyRank rank(exchange, drawn);
    try {
      for (int step = 0; step < DrawnJob::supersteps; ++step) {
        if (exchange.rank() == culprit && step == last_step) {
          if (!leaves) exchange.abort("disk full");
          return;
        }
        rank.run(step);
      }
    } catch (const Error& error) {
      exchange.abort(error.what());
      throw;
    }
    ADD_FAILURE() << "rank " << exchange.rank() << " has not heard of it";
  });
  for (Rank rank = 0; rank < drawn.size(); ++rank) {
    if (rank == culprit) continue;
    EXPECT_THAT(errors[place_of(rank)], HasSubstr(fmt::format("rank {}", culprit)));
    EXPECT_THAT(errors[place_of(rank)], HasSubstr(leaves ? "has ended while" : "disk full"));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, EveryFaultInAMixedJob, ::testing::Range<std::uint64_t>(1, 7));

}  // namespace
}  // namespace lbsp::transport
