#include "transport/wire/sealing.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <span>
#include <vector>

#include "transport/wire/format.hpp"
#include "transport/wire/replay_window.hpp"

/// What keeps datagrams secret and as they were, and takes each of them once.
namespace lbsp::transport {
namespace {

class Sealing : public ::testing::TestWithParam<Cipher> {
 protected:
  void SetUp() override {
    if (!cipher_available(GetParam())) GTEST_SKIP() << "this processor has no AES instructions";
    for (std::size_t i = 0; i < text.size(); ++i)
      body[i] = text[i] = static_cast<std::byte>(i);
  }

  DirectionKey key(Rank from, Rank to) const { return {job, from, to, GetParam()}; }

  JobKey job = JobKey::random();
  std::array<std::byte, 16> header{};
  std::array<std::byte, 100> text{};
  std::array<std::byte, 100 + tag_bytes> body{};
};

TEST_P(Sealing, opens_what_was_sealed_and_hides_it_meanwhile) {
  key(0, 1).seal(42, header, body);
  EXPECT_FALSE(std::equal(text.begin(), text.end(), body.begin()));
  const auto opened = key(0, 1).open(42, header, body);
  ASSERT_TRUE(opened);
  EXPECT_TRUE(std::equal(text.begin(), text.end(), opened->begin(), opened->end()));
}

TEST_P(Sealing, opens_nothing_of_another_direction_number_header_or_job) {
  const auto sealed_opens = [&](auto&& with) {
    auto copy = body;
    return with(std::span<std::byte>(copy)).has_value();
  };
  key(0, 1).seal(42, header, body);
  EXPECT_TRUE(sealed_opens([&](auto copy) { return key(0, 1).open(42, header, copy); }));
  EXPECT_FALSE(sealed_opens([&](auto copy) { return key(1, 0).open(42, header, copy); }));
  EXPECT_FALSE(sealed_opens([&](auto copy) { return key(0, 2).open(42, header, copy); }));
  EXPECT_FALSE(sealed_opens([&](auto copy) { return key(0, 1).open(43, header, copy); }));
  EXPECT_FALSE(sealed_opens(
      [&](auto copy) { return key(0, 1).open(42 + DirectionKey::packets_per_epoch, header, copy); }));
  auto other_header = header;
  other_header[3] = std::byte{1};
  EXPECT_FALSE(sealed_opens([&](auto copy) { return key(0, 1).open(42, other_header, copy); }));
  job = JobKey::random();
  EXPECT_FALSE(sealed_opens([&](auto copy) { return key(0, 1).open(42, header, copy); }));
}

TEST_P(Sealing, the_key_changes_with_the_epoch_and_both_epochs_open) {
  constexpr std::uint64_t boundary = DirectionKey::packets_per_epoch;
  DirectionKey sealing = key(0, 1);
  DirectionKey opening = key(0, 1);
  auto before = body;
  auto after = body;
  sealing.seal(boundary - 1, header, before);
  sealing.seal(boundary, header, after);
  EXPECT_TRUE(opening.open(boundary, header, after));
  EXPECT_TRUE(opening.open(boundary - 1, header, before)) << "a datagram that was overtaken";
}

INSTANTIATE_TEST_SUITE_P(Ciphers, Sealing, ::testing::Values(Cipher::aes256_gcm, Cipher::chacha20_poly1305),
                         [](const auto& instance) {
                           return instance.param == Cipher::aes256_gcm ? "aes256_gcm" : "chacha20_poly1305";
                         });

TEST(JobKey, differs_from_job_to_job) {
  EXPECT_NE(JobKey::random().bytes, JobKey::random().bytes);
}

TEST(ReplayWindow, takes_each_number_once) {
  ReplayWindow window;
  for (const std::uint64_t packet : {0u, 1u, 5u, 3u, 2u, 4u}) {
    EXPECT_TRUE(window.is_new(packet));
    window.enter(packet);
    EXPECT_FALSE(window.is_new(packet));
  }
  EXPECT_EQ(window.next(), 6u);
  EXPECT_EQ(window.distinct(), 6u);
}

TEST(ReplayWindow, refuses_what_is_too_old_to_know) {
  ReplayWindow window;
  window.enter(10'000);
  EXPECT_TRUE(window.is_new(10'000 + 1 - ReplayWindow::window_packets));
  EXPECT_FALSE(window.is_new(10'000 - ReplayWindow::window_packets));
  EXPECT_FALSE(window.is_new(0));
}

TEST(ReplayWindow, agrees_with_a_set_under_random_jumps) {
  ReplayWindow window;
  std::vector<bool> entered(400'000);
  std::uint64_t newest = 0;
  std::uint32_t state = 7;
  const auto random = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  for (int i = 0; i < 60'000; ++i) {
    const std::uint64_t reach = random() % 20 == 0 ? 6'000 : 100;
    const std::uint64_t packet = random() % 2 == 0
                                     ? newest + random() % 10
                                     : newest - std::min<std::uint64_t>(newest, random() % reach);
    if (packet >= entered.size()) break;
    const bool in_window =
        newest < ReplayWindow::window_packets || packet + ReplayWindow::window_packets > newest;
    ASSERT_EQ(window.is_new(packet), in_window && !entered[packet]) << packet << " of " << newest;
    if (!window.is_new(packet)) continue;
    window.enter(packet);
    entered[packet] = true;
    newest = std::max(newest, packet);
  }
}

}  // namespace
}  // namespace lbsp::transport
