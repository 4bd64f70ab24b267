#include "lbsp/superstep/messages/mail.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <vector>

#include "tests/lbsp/idle_exchange.hpp"

namespace lbsp::superstep {
namespace {

/// Lends memory for the message to rank 1, which rank 0 reads back as if rank 1 had sent it.
class Mirror final : public transport::Lending {
 public:
  std::span<std::byte> room(Rank, std::size_t bytes, std::size_t) override {
    memory_.resize(bytes);
    return memory_;
  }
  std::span<const std::span<const std::byte>> exchange(std::span<const std::size_t> lengths, bool last,
                                                       const Deed& meanwhile) override {
    meanwhile();
    lasts.push_back(last);
    arrived_[1] = std::span(memory_).first(lengths[1]);
    return arrived_;
  }
  std::span<const std::span<const std::byte>> exchange_alike(Alike message, const Deed& meanwhile) override {
    std::ranges::copy(message, room(1, message.size(), 0).begin());
    return exchange(std::vector<std::size_t>(2, message.size()), false, meanwhile);
  }

  std::size_t least_offer(Rank) const override { return 16; }
  std::uint64_t offer(Rank, std::span<const std::byte>) override { return 1; }
  void fetch(Rank, std::uint64_t, std::span<std::byte>) override {}
  void settle(Leg, std::span<const Rank>, std::span<const Rank>) override {}

  std::vector<bool> lasts;

 private:
  std::vector<std::byte> memory_;
  std::array<std::span<const std::byte>, 2> arrived_;
};

/// Rank 0 of 2.
class LendingExchange final : public test::IdleExchange {
 public:
  Rank size() const noexcept override { return 2; }
  transport::Lending* lending() noexcept override { return &mirror; }

  Mirror mirror;
};

TEST(Mail, in_lent_memory_says_which_exchange_is_the_last) {
  LendingExchange exchange;
  Mail mail(exchange);
  for (const Ending ending : {Ending::sync, Ending::end}) {
    mail.room(0, 3, 0)[2] = std::byte{4};
    mail.room(1, 2, 0)[1] = std::byte{5};
    const std::array<std::size_t, 2> lengths{3, 2};
    int deeds = 0;
    const auto arrived = mail.exchange(lengths, ending, [&] { ++deeds; });
    EXPECT_EQ(deeds, 1);
    ASSERT_EQ(arrived[0].size(), 3U);
    ASSERT_EQ(arrived[1].size(), 2U);
    EXPECT_EQ(arrived[0][2], std::byte{4});
    EXPECT_EQ(arrived[1][1], std::byte{5});
  }
  EXPECT_EQ(exchange.mirror.lasts, (std::vector<bool>{false, true}));
}

/// Rank 0 of 2 without lent memory: what it sends to rank 1 comes back as if that had sent it.
class EchoingExchange final : public test::IdleExchange {
 public:
  Rank size() const noexcept override { return 2; }
};

void check_one_message_for_all(transport::Exchange& exchange) {
  Mail mail(exchange);
  mail.room(0, 3, 0)[2] = std::byte{4};
  mail.room(1, 3, 0)[2] = std::byte{5};
  mail.exchange(std::array<std::size_t, 2>{3, 3}, Ending::sync, [] {});
  std::array<std::byte, transport::Lending::alike_bytes> message{};
  message.fill(std::byte{6});
  int deeds = 0;
  const auto arrived = mail.exchange_alike(message, [&] { ++deeds; });
  EXPECT_EQ(deeds, 1);
  ASSERT_EQ(arrived.size(), 2U);
  EXPECT_TRUE(std::ranges::equal(arrived[1], message));
  mail.room(0, 1, 0)[0] = std::byte{8};
  mail.room(1, 1, 0)[0] = std::byte{9};
  const auto next = mail.exchange(std::array<std::size_t, 2>{1, 1}, Ending::sync, [] {});
  EXPECT_EQ(next[0][0], std::byte{8});
  EXPECT_EQ(next[1][0], std::byte{9});
}

TEST(Mail, sends_one_message_to_all) {
  LendingExchange lending;
  check_one_message_for_all(lending);
  EchoingExchange handed_over;
  check_one_message_for_all(handed_over);
}

}  // namespace
}  // namespace lbsp::superstep
