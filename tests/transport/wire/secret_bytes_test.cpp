#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <string>

#include "transport/wire/sealing.hpp"

/// The system leaves secrets out of core dumps.
namespace lbsp::transport {
namespace {

/// What /proc/self/smaps says in VmFlags of the memory at this address; empty: there is no such file here.
std::string flags_of(const void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) here = begin <= address && address < end;
    if (here && line.starts_with("VmFlags:")) return line;
  }
  return {};
}

TEST(SecretBytes, are_left_out_of_core_dumps) {
  const auto key = JobKey::random();
  const JobKey copy = key;
  int plain = 0;
  if (flags_of(&plain).empty()) GTEST_SKIP() << "no /proc/self/smaps with VmFlags here";
  EXPECT_EQ(flags_of(&plain).find(" dd"), std::string::npos);
  EXPECT_NE(flags_of(key.bytes.data()).find(" dd"), std::string::npos);
  EXPECT_NE(flags_of(copy.bytes.data()).find(" dd"), std::string::npos);
}

TEST(SecretBytes, are_cleared_when_given_back) {
  const std::uint8_t* place = nullptr;
  {
    const auto key = JobKey::random();
    place = key.bytes.data();
    EXPECT_NE(std::count(place, place + key.bytes.size(), 0), 32);
  }
  EXPECT_EQ(std::count(place, place + SecretBytes::count, 0), 32);
}

TEST(SecretBytes, that_were_given_back_leave_their_place_to_the_next) {
  std::set<const std::uint8_t*> places;
  for (int i = 0; i < 1000; ++i)
    places.insert(JobKey::random().bytes.data());
  EXPECT_LT(places.size(), 10u);
}

TEST(SecretBytes, of_equal_keys_are_equal_and_stand_in_different_places) {
  const auto key = JobKey::random();
  JobKey copy = key;
  EXPECT_EQ(key.bytes, copy.bytes);
  EXPECT_NE(key.bytes.data(), copy.bytes.data());
  copy.bytes[0] ^= 1;
  EXPECT_FALSE(key.bytes == copy.bytes);
}

/// On how many pages so many new keys are, which stay in `all`.
std::ptrdiff_t pages_of_new(std::size_t keys, std::deque<JobKey>& all) {
  std::set<std::uintptr_t> pages;
  for (std::size_t i = 0; i < keys; ++i)
    pages.insert(reinterpret_cast<std::uintptr_t>(all.emplace_back().bytes.data()) / 4096);
  return std::ssize(pages);
}

TEST(SecretBytes, of_many_keys_take_little_more_memory_than_their_bytes) {
  constexpr std::size_t keys = 4096;
  constexpr auto least = static_cast<std::ptrdiff_t>(keys * SecretBytes::count / 4096);
  std::deque<JobKey> all;
  std::ptrdiff_t pages = pages_of_new(keys, all);
  // Places that earlier keys of this process have left are taken first, and may be on as many pages as they like: this
  // program's other tests leave those of some tens of thousands.
  for (int round = 0; round < 100 && pages > 2 * least; ++round)
    pages = pages_of_new(keys, all);
  EXPECT_LE(pages, 2 * least);
}

}  // namespace
}  // namespace lbsp::transport
