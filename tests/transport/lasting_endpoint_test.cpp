#include "transport/core/lasting_endpoint.hpp"

#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <vector>

namespace lbsp::transport::testing {
namespace {

using namespace std::chrono_literals;

/// Processes in virtual time that do supersteps without end, each message of which says who sent it in which superstep
/// of the job. On a change of the world they go back to its boundary.
class LastingJob {
 public:
  explicit LastingJob(Slot size, double loss = 0) : loss_(loss) {
    EndpointConfig config;
    config.size = size;
    config.options.peer_timeout = 1s;
    for (Slot slot = 0; slot < size; ++slot) {
      config.rank = slot;
      processes_.push_back({std::make_unique<LastingEndpoint>(config, PlannerFactory{}, now_)});
    }
    for (Slot slot = 0; slot < size; ++slot)
      begin(slot);
  }

  void run_for(Duration time) {
    const Instant end = now_ + time;
    while (now_ < end) {
      deliver();
      for (Slot slot = 0; slot < size(); ++slot) {
        if (dead.has(slot)) continue;
        work(slot);
      }
      now_ += 1ms;
    }
  }

  LastingEndpoint& operator[](Slot slot) { return *of(slot).endpoint; }
  std::uint64_t completed(Slot slot) { return of(slot).completed; }
  const std::vector<WorldChange>& changes(Slot slot) { return of(slot).changes; }
  bool wrong() const { return wrong_; }

  MemberSet dead;
  std::function<bool(Slot, Slot)> cut = [](Slot, Slot) { return false; };

 private:
  struct Process {
    std::unique_ptr<LastingEndpoint> endpoint;
    std::uint64_t completed = 0;
    std::vector<WorldChange> changes = {};
  };
  struct Datagram {
    Instant at;
    Slot to;
    std::vector<std::byte> bytes;
  };

  Slot size() const { return static_cast<Slot>(processes_.size()); }
  Process& of(Slot slot) { return processes_[static_cast<std::size_t>(slot)]; }

  static Bytes message(Slot from, std::uint64_t superstep) {
    Bytes bytes(3000);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(superstep + 31 * static_cast<std::uint64_t>(from) + i);
    return bytes;
  }

  void begin(Slot slot) {
    LastingEndpoint& endpoint = (*this)[slot];
    endpoint.begin_exchange(
        std::vector<Bytes>(static_cast<std::size_t>(endpoint.size()), message(slot, of(slot).completed + 1)),
        now_);
  }

  void work(Slot slot) {
    LastingEndpoint& endpoint = (*this)[slot];
    if (endpoint.next_timeout() <= now_) endpoint.handle_timeout(now_);
    if (endpoint.failure()) return;
    if (endpoint.change()) {
      of(slot).changes.push_back(endpoint.take_change());
      const std::uint64_t boundary = of(slot).changes.back().boundary;
      wrong_ = wrong_ || boundary > of(slot).completed || boundary + 1 < of(slot).completed;
      of(slot).completed = boundary;
      begin(slot);
    } else if (endpoint.exchange_complete()) {
      take(slot);
      begin(slot);
    }
    send(slot);
  }

  void take(Slot slot) {
    LastingEndpoint& endpoint = (*this)[slot];
    const std::uint64_t superstep = ++of(slot).completed;
    const std::vector<Bytes> messages = endpoint.take_messages();
    Rank rank = 0;
    endpoint.members().for_each([&](Slot from) {
      const Bytes& came = messages[static_cast<std::size_t>(rank++)];
      wrong_ = wrong_ || (from != slot && came != message(from, superstep));
    });
  }

  void send(Slot slot) {
    std::vector<std::byte> buffer(ExchangeOptions{}.datagram_bytes);
    while (const auto transmit = (*this)[slot].poll_transmit(buffer, now_)) {
      const bool lost = static_cast<double>(random_() >> 11) * 0x1p-53 < loss_;
      if (lost || cut(slot, transmit->to)) continue;
      const auto end = buffer.begin() + static_cast<std::ptrdiff_t>(transmit->bytes);
      datagrams_.push_back({now_ + 10ms, transmit->to, {buffer.begin(), end}});
    }
  }

  void deliver() {
    for (; !datagrams_.empty() && datagrams_.front().at <= now_; datagrams_.pop_front()) {
      Datagram& datagram = datagrams_.front();
      if (!dead.has(datagram.to)) (*this)[datagram.to].handle_datagram(datagram.bytes, now_);
    }
  }

  double loss_;
  Instant now_{1s};
  std::vector<Process> processes_;
  std::deque<Datagram> datagrams_;
  std::mt19937_64 random_{7};
  bool wrong_ = false;
};

TEST(LastingEndpoint, a_job_that_loses_nobody_goes_on_as_it_was) {
  LastingJob job(3, 0.1);
  job.run_for(10s);
  for (Slot slot = 0; slot < 3; ++slot) {
    EXPECT_TRUE(job.changes(slot).empty());
    EXPECT_GT(job.completed(slot), 100u);
  }
  EXPECT_FALSE(job.wrong());
}

TEST(LastingEndpoint, those_that_are_left_go_on_from_a_common_boundary) {
  for (const Slot size : {3, 5}) {
    for (const Slot lost : {Slot{0}, size - 1}) {
      LastingJob job(size, 0.1);
      job.run_for(2s);
      job.dead = {lost};
      job.run_for(1200ms);
      (MemberSet::first(size) - job.dead).for_each([&](Slot slot) {
        ASSERT_EQ(job.changes(slot).size(), 1u) << size << " " << lost;
        EXPECT_EQ(job.changes(slot).front().lost, MemberSet{lost});
        EXPECT_EQ(job[slot].size(), size - 1);
        EXPECT_GT(job.completed(slot), job.changes(slot).front().boundary + 2);
      });
      EXPECT_FALSE(job.wrong());
    }
  }
}

TEST(LastingEndpoint, one_after_the_other_may_be_lost) {
  LastingJob job(5);
  for (const Slot lost : {4, 0, 2, 3}) {
    job.run_for(1s);
    job.dead.add(lost);
    job.run_for(1500ms);
  }
  EXPECT_EQ(job[1].size(), 1);
  EXPECT_EQ(job.changes(1).size(), 4u);
  EXPECT_FALSE(job[1].failure());
  EXPECT_FALSE(job.wrong());
}

TEST(LastingEndpoint, the_smaller_side_of_a_split_ends_and_the_larger_goes_on) {
  LastingJob job(5, 0.05);
  job.run_for(1s);
  job.cut = [](Slot from, Slot to) { return (from < 3) != (to < 3); };
  job.run_for(3s);
  job.cut = [](Slot, Slot) { return false; };
  job.run_for(3s);
  for (const Slot slot : {0, 1, 2}) {
    EXPECT_FALSE(job[slot].failure());
    EXPECT_EQ(job[slot].size(), 3);
  }
  for (const Slot slot : {3, 4}) {
    ASSERT_TRUE(job[slot].failure());
    EXPECT_EQ(job[slot].failure()->message,
              "only 2 of 5 ranks answer, too few to go on: look at the network between the hosts");
  }
  EXPECT_FALSE(job.wrong());
}

}  // namespace
}  // namespace lbsp::transport::testing
