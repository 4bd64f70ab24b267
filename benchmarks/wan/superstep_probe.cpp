// One rank of all-to-all supersteps. Writes when each one ended to DIRECTORY/RANK, one line each: seconds of
// the machine's monotonic clock, which all its processes share.
//   superstep_probe BYTES SUPERSTEPS DIRECTORY                           under lbsp run, over its backend;
//                                                                        BYTES may be 0: empty supersteps
//   superstep_probe BYTES SUPERSTEPS DIRECTORY RANK ADDRESSES CARRIER    over a mesh of connections
//   superstep_probe carriers                                             prints what CARRIER may be
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <sstream>
#include <string>

#include "carriers.hpp"
#include "lbsp/job/run.hpp"
#include "lbsp/queue.hpp"
#include "transport/error.hpp"

namespace {

using Bytes = std::vector<std::byte>;

struct Work {
  std::size_t bytes;
  std::uint64_t supersteps;
  std::string directory;
};

std::uint64_t parse(const std::string& text, std::uint64_t least) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least) {
    throw lbsp::UsageError("'" + text + "': give a whole number of at least " + std::to_string(least));
  }
  return value;
}

/// A mark fits in at both ends. Without bytes, supersteps are empty: nobody sends a message.
std::size_t parse_bytes(const std::string& text, bool may_be_empty) {
  const std::uint64_t least = sizeof(std::uint64_t);
  return may_be_empty && text == "0" ? 0 : parse(text, least);
}

std::uint64_t mark_of(lbsp::Rank rank, std::uint64_t superstep) {
  return superstep << 8 | static_cast<std::uint64_t>(rank);
}

void mark(Bytes& message, std::uint64_t value) {
  std::memcpy(message.data(), &value, sizeof(value));
  std::memcpy(message.data() + message.size() - sizeof(value), &value, sizeof(value));
}

/// The work that is the same over every carrier: the length, and the sender and superstep at both ends.
void check(std::span<const std::byte> message, std::size_t bytes, std::uint64_t value) {
  if (message.size() != bytes || std::memcmp(message.data(), &value, sizeof(value)) != 0 ||
      std::memcmp(message.data() + bytes - sizeof(value), &value, sizeof(value)) != 0) {
    throw lbsp::Error("superstep_probe: a message is not what was sent: this is a fault of the carrier");
  }
}

/// Calls `superstep` again and again. A line is written at once, so that a run that is stopped leaves what it
/// did.
void time_supersteps(const Work& work, lbsp::Rank rank, const std::function<void(std::uint64_t)>& superstep) {
  const std::string path = work.directory + "/" + std::to_string(rank);
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) throw lbsp::SystemError(path + ": cannot be written: give a directory");
  for (std::uint64_t step = 0; step < work.supersteps; ++step) {
    superstep(step);
    const std::chrono::duration<double> end = std::chrono::steady_clock::now().time_since_epoch();
    std::fprintf(file, "%.9f\n", end.count());
    std::fflush(file);
  }
  std::fclose(file);
}

int over_lbsp(const Work& work) {
  return lbsp::run([&work](lbsp::World& world) {
    lbsp::Queue<std::byte> queue(world);
    Bytes message(work.bytes);
    const bool empty = work.bytes == 0;
    const std::size_t expected = empty ? 0 : static_cast<std::size_t>(world.size() - 1);
    time_supersteps(work, world.rank(), [&](std::uint64_t step) {
      if (!empty) mark(message, mark_of(world.rank(), step));
      for (lbsp::Rank to = 0; to < world.size(); ++to) {
        if (to != world.rank() && !empty) queue.send(to, step, message);
      }
      world.sync();
      if (queue.size() != expected) {
        throw lbsp::Error("superstep_probe: messages are missing: this is a fault of the carrier");
      }
      for (const auto received : queue)
        check(received.values(), work.bytes, mark_of(received.source(), step));
    });
  });
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> words;
  std::istringstream text(list);
  for (std::string word; std::getline(text, word, ',');)
    words.push_back(word);
  return words;
}

int over_mesh(const Work& work, std::uint64_t rank, const std::string& list, const std::string& carrier) {
  const auto self = static_cast<lbsp::Rank>(rank);
  const lbsp::benchmark::Place place{self, split(list), 17'700};
  if (rank >= place.size() || place.size() > 250) {
    throw lbsp::UsageError("rank " + std::to_string(rank) +
                           " has no address: give one for each of up to 250 ranks");
  }
  const auto mesh = lbsp::benchmark::make_mesh(carrier, place);
  Bytes message(work.bytes);
  std::vector<Bytes> received(place.size(), Bytes(work.bytes));
  time_supersteps(work, self, [&](std::uint64_t step) {
    mark(message, mark_of(self, step));
    mesh->exchange(message, received);
    for (std::size_t from = 0; from < received.size(); ++from) {
      if (from != rank) check(received[from], work.bytes, mark_of(static_cast<lbsp::Rank>(from), step));
    }
  });
  return 0;
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count == 2 && std::string(words[1]) == "carriers") {
      std::puts(lbsp::benchmark::carriers().c_str());
      return 0;
    }
    if (count != 4 && count != 7) {
      throw lbsp::UsageError(
          "superstep_probe takes BYTES SUPERSTEPS DIRECTORY [RANK ADDRESSES CARRIER]: see its source");
    }
    // Connections without messages would not wait for one another.
    const Work work{parse_bytes(words[1], count == 4), parse(words[2], 1), words[3]};
    return count == 4 ? over_lbsp(work) : over_mesh(work, parse(words[4], 0), words[5], words[6]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lbsp: %s\n", error.what());
    return 1;
  }
}
