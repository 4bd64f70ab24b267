#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "lbsp/coarray.hpp"
#include "lbsp/job/frame.hpp"
#include "lbsp/job/messages.hpp"
#include "lbsp/world.hpp"

/// What the launcher's tests have a job do, where that takes more than some lines.
namespace lbsp::test {

/// On both streams, in pieces that end anywhere. Between them nobody waits for the network: what has come of a line
/// is passed on after a short quiet.
inline void write_in_pieces(const std::string& text, std::size_t piece) {
  for (std::size_t at = 0; at < text.size(); at += piece) {
    const std::string bytes = text.substr(at, piece);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
      if (::write(stream, bytes.data(), bytes.size()) < 0) std::abort();
    }
  }
}

/// Lines of many lengths.
inline void write_lines(World& world, int count) {
  const std::size_t piece = 113 + 17 * static_cast<std::size_t>(world.rank());
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "rank " + std::to_string(world.rank()) + " line " + std::to_string(i) + " ";
    text.append(static_cast<std::size_t>(i * 37 % 301), static_cast<char>('a' + i % 26));
    text += " end\n";
    if (i % 4 != 3) continue;
    write_in_pieces(std::exchange(text, {}), piece);
    world.sync();
  }
  write_in_pieces(text, piece);
}

inline void copy_input(World& world) {
  std::string line;
  std::size_t bytes = 0;
  while (std::getline(std::cin, line))
    bytes += line.size() + 1;
  std::cout << "rank " << world.rank() << " read " << bytes << " bytes, last \"" << line << "\"" << std::endl;
  world.sync();
}

/// Long puts without buffers to the next rank, and long gets of what stood there before.
inline void transfer(World& world, int steps, std::size_t count) {
  Coarray<int> shown(world, count);
  std::vector<int> source(count);
  std::vector<int> got(count);
  const Rank next = (world.rank() + 1) % world.size();
  const Rank previous = (world.rank() + world.size() - 1) % world.size();
  bool right = true;
  for (int step = 1; step <= steps; ++step) {
    std::ranges::fill(source, step * world.size() + world.rank());
    shown.get(next, 0, got);
    shown.put_unbuffered(next, 0, source);
    world.sync();
    std::ranges::fill(source, -1);
    const auto all = [](const auto& values, int value) {
      return std::ranges::count(values, value) == std::ssize(values);
    };
    right = right && all(shown.local(), step * world.size() + previous) &&
            all(got, step == 1 ? 0 : (step - 1) * world.size() + world.rank());
  }
  world.set_verified(right);
}

/// Until the stack is full.
inline int descend(int depth) {  // NOLINT(misc-no-recursion)
  volatile char room[4096];
  room[0] = static_cast<char>(depth);
  return depth == 0 ? room[0] : descend(depth + 1) + room[0];
}

/// All memory that there is, for ever, but for so much.
inline void take_memory_but(std::size_t kibibytes) {
  constexpr std::size_t largest = std::size_t{1} << 20;
  constexpr std::size_t least = 32;
  // What is written to, no compiler leaves out.
  const auto take = [](std::size_t bytes) {
    void* const taken = std::malloc(bytes);
    if (taken != nullptr) *static_cast<volatile char*>(taken) = 1;
    return taken;
  };
  void* const left = take(kibibytes << 10);
  for (std::size_t size = largest; size >= least; size /= 2)
    while (take(size) != nullptr) {
    }
  std::free(left);
}

/// What a rank has said before the start, over its process's own connection to the launcher.
inline void speak_again(const std::string& what, const std::string& size) {
  constexpr int control = 3;
  const job::Frame frame = what == "hello" ? job::Frame{job::FrameKind::hello, 0, to_payload(job::Hello{})}
                                           : job::Frame{job::FrameKind::size, 0, size};
  const std::string bytes = job::encode(frame);
  if (::write(control, bytes.data(), bytes.size()) < 0) std::abort();
}

inline void ask(const std::string& prompt) {
  int number = 0;
  std::printf("%s", prompt.c_str());
  std::fflush(stdout);
  if (std::scanf("%d", &number) == 1) std::printf("it is %d\n", number);
}

}  // namespace lbsp::test
