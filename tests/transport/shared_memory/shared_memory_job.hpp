#pragma once

#include <algorithm>
#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "transport/shared_memory/shared_memory_exchange.hpp"

namespace lbsp::transport::shared_memory {

/// What the tests' ranks may have on the way to each other.
inline constexpr std::uint64_t most_message_bytes = std::uint64_t{64} << 20;

/// A job whose ranks exchange messages through one segment.
struct Job {
  Rank size;
  std::optional<Duration> peer_timeout = std::chrono::seconds{20};
  int processors = 1;
  Geometry geometry = Geometry::of(size, most_message_bytes);
  SegmentFile file = SegmentFile::create(geometry);

  std::unique_ptr<Exchange> join(Rank rank) const {
    return std::make_unique<SharedMemoryExchange>(
        open_segment(file.again(), geometry, rank),
        LinksConfig{
            .self = rank, .place = " on node4", .processors = processors, .peer_timeout = peer_timeout},
        size, most_message_bytes);
  }
};

using Program = std::function<void(Exchange&)>;

/// Each rank on a thread, but with mappings of its own, as a process has them. Returns the errors' texts.
inline std::vector<std::string> run(const Job& job, const Program& program) {
  std::vector<std::string> errors(static_cast<std::size_t>(job.size));
  std::vector<std::jthread> threads;
  threads.reserve(errors.size());
  for (Rank rank = 0; rank < job.size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const auto exchange = job.join(rank);
        program(*exchange);
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(rank)] = error.what();
      }
    });
  }
  threads.clear();
  return errors;
}

/// Ranks from 1 on are processes; rank 0 is this one.
class Processes {
 public:
  Processes(const Job& job, const Program& program) {
    for (Rank rank = 1; rank < job.size; ++rank) {
      const pid_t child = ::fork();
      if (child == 0) {
        try {
          program(*job.join(rank));
        } catch (const std::exception&) {
        }
        ::_exit(0);
      }
      children_.push_back(child);
    }
  }
  ~Processes() {
    for (const pid_t child : children_) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
  }
  void signal(Rank rank, int number) const { ::kill(children_[static_cast<std::size_t>(rank) - 1], number); }

 private:
  std::vector<pid_t> children_;
};

inline Bytes message(std::size_t size, int value) {
  Bytes bytes(size);
  std::ranges::fill(bytes, static_cast<std::byte>(value));
  return bytes;
}

inline std::vector<Bytes> empty_messages(const Exchange& exchange) {
  return std::vector<Bytes>(static_cast<std::size_t>(exchange.size()));
}

}  // namespace lbsp::transport::shared_memory
