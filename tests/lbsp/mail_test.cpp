#include "lbsp/superstep/mail.hpp"

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
  std::span<const std::span<const std::byte>> exchange(std::span<const std::size_t> lengths,
                                                       bool last) override {
    lasts.push_back(last);
    arrived_[1] = std::span(memory_).first(lengths[1]);
    return arrived_;
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
    const auto arrived = mail.exchange(lengths, ending);
    ASSERT_EQ(arrived[0].size(), 3U);
    ASSERT_EQ(arrived[1].size(), 2U);
    EXPECT_EQ(arrived[0][2], std::byte{4});
    EXPECT_EQ(arrived[1][1], std::byte{5});
  }
  EXPECT_EQ(exchange.mirror.lasts, (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace lbsp::superstep
