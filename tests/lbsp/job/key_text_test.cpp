#include <algorithm>
#include <array>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include "lbsp/job/channel.hpp"
#include "lbsp/job/joining/start_up.hpp"

/// The text in which a rank is told its job's key is gone from memory when the rank has joined.
namespace lbsp::job {
namespace {

/// Digits of the key's text in a row, any of which would betray it.
constexpr std::size_t digits_in_row = 16;

bool is_text_of(const transport::JobKey& key, std::size_t first_digit, const char* text) {
  for (std::size_t i = 0; i < digits_in_row; ++i) {
    const std::size_t digit = first_digit + i;
    const unsigned byte = key.bytes[digit / 2];
    if (text[i] != "0123456789abcdef"[digit % 2 == 0 ? byte >> 4 : byte & 15]) return false;
  }
  return true;
}

struct Region {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

/// Beyond this a region is a sanitizer's shadow memory, which has no copy of what it watches, and takes hours to read.
constexpr std::uintptr_t largest_region = std::uintptr_t{1} << 30;

std::vector<Region> writable_regions() {
  std::ifstream maps("/proc/self/maps");
  std::vector<Region> regions;
  for (std::string line; std::getline(maps, line);) {
    Region region;
    std::array<char, 8> rights{};
    if (std::sscanf(line.c_str(), "%lx-%lx %7s", &region.begin, &region.end, rights.data()) == 3 &&
        rights[0] == 'r' && rights[1] == 'w' && region.end - region.begin <= largest_region)
      regions.push_back(region);
  }
  return regions;
}

/// How often parts of the key's text stand in this process's memory.
int occurrences(const transport::JobKey& key) {
  constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
  void* const buffer =
      ::mmap(nullptr, chunk_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto own = reinterpret_cast<std::uintptr_t>(buffer);
  const int memory = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  int found = 0;
  for (const Region& region : writable_regions()) {
    if (region.begin <= own && own < region.end) continue;
    // Chunks overlap, so that no text is cut.
    for (std::uintptr_t at = region.begin; at < region.end; at += chunk_bytes - digits_in_row) {
      const std::size_t bytes = std::min<std::size_t>(chunk_bytes, region.end - at);
      const ssize_t got = ::pread(memory, buffer, bytes, static_cast<off_t>(at));
      for (ssize_t i = 0; i + static_cast<ssize_t>(digits_in_row) <= got; ++i) {
        for (const std::size_t first : {0u, 16u, 32u, 48u})
          found += is_text_of(key, first, static_cast<const char*>(buffer) + i) ? 1 : 0;
      }
    }
  }
  ::close(memory);
  ::munmap(buffer, chunk_bytes);
  return found;
}

/// Sends a whole frame, and keeps nothing of it.
void send(int socket, const Frame& frame) {
  std::string bytes = encode(frame);
  ASSERT_EQ(::send(socket, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  transport::wipe(bytes);
  transport::wipe_returned_frames();
}

Welcome welcome_with(const transport::JobKey& key) {
  Welcome welcome;
  welcome.size = 2;
  welcome.backend = Backend::threads;
  welcome.bind_address = "127.0.0.1";
  welcome.key = key;
  return welcome;
}

TEST(KeyText, is_found_where_it_is_left) {
  const auto key = transport::JobKey::random();
  const std::string payload = to_payload(welcome_with(key));
  EXPECT_GE(occurrences(key), 4) << payload.size();
}

TEST(KeyText, is_not_left_in_memory_by_who_tells_it_and_who_is_told) {
  const auto key = transport::JobKey::random();
  std::array<int, 2> sockets{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets.data()), 0);
  Channel channel(sockets[1]);
  send(sockets[0], {FrameKind::welcome, 0, to_payload(welcome_with(key))});
  const Start start{.addresses = {{"127.0.0.1", 1}, {"127.0.0.1", 2}}};
  send(sockets[0], {FrameKind::start, 0, to_payload(start)});
  const joining::Membership membership = joining::join(channel);
  EXPECT_TRUE(membership.welcome.key.bytes == key.bytes);
  EXPECT_EQ(occurrences(key), 0);
  ::close(sockets[0]);
}

TEST(KeyText, is_not_left_in_memory_when_it_comes_in_pieces_among_other_frames) {
  const auto key = transport::JobKey::random();
  FrameReader reader;
  int frames = 0;
  {
    std::string bytes = encode({FrameKind::output, 0, std::string(1000, 'x')});
    bytes.reserve(8000);
    {
      std::string welcome = encode({FrameKind::welcome, 0, to_payload(welcome_with(key))});
      bytes += welcome;
      transport::wipe(welcome);
    }
    bytes += encode({FrameKind::output, 0, std::string(3000, 'x')});
    for (std::size_t at = 0; at + 1 < bytes.size(); at += 13) {
      reader.add(std::string_view(bytes).substr(at, std::min<std::size_t>(13, bytes.size() - 1 - at)));
      while (reader.next())
        ++frames;
    }
    transport::wipe(bytes);
  }
  EXPECT_EQ(frames, 2) << "the last one is not whole";
  EXPECT_EQ(occurrences(key), 0);
}

}  // namespace
}  // namespace lbsp::job
