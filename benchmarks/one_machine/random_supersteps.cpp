// All-to-all supersteps of random sizes under lbsp run: by turns read from a queue, and put into a coarray with and
// without a copy. Ends with an error if a message is not what was sent, or if a rank has more memory or more open
// descriptors at the end than after a tenth, when its history of supersteps is full. Argument: how many supersteps, a
// million without it, which is the fewest.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "lbsp/coarray.hpp"
#include "lbsp/history.hpp"
#include "lbsp/job/run.hpp"
#include "lbsp/queue.hpp"
#include "transport/error.hpp"

namespace {

constexpr std::size_t most_bytes = 80 << 10;

/// A history grows until it has a tenth of this many.
constexpr std::uint64_t fewest_supersteps = 10 * lbsp::History::most_records;

/// Who sends how much to whom. All ranks draw the same, so a receiver knows what must come.
class Sizes {
 public:
  explicit Sizes(int ranks) : ranks_(static_cast<std::size_t>(ranks)), bytes_(ranks_ * ranks_) {}

  /// Short messages as often as long ones: each power of two from 16 bytes to 64 KiB has the same chance.
  void draw() {
    for (std::size_t& bytes : bytes_)
      bytes = sizeof(Mark) + (random_() & ((std::uint64_t{16} << (random_() % 13)) - 1));
  }
  std::size_t of(lbsp::Rank from, lbsp::Rank to) const {
    return bytes_[static_cast<std::size_t>(from) * ranks_ + static_cast<std::size_t>(to)];
  }

  /// At a message's beginning; its last byte is that of the step.
  struct Mark {
    std::uint64_t from;
    std::uint64_t step;
  };

 private:
  std::size_t ranks_;
  std::vector<std::size_t> bytes_;
  std::mt19937_64 random_{1};
};

using Mark = Sizes::Mark;

void require(bool right) {
  if (!right) throw lbsp::Error("a message is not what was sent: this is a fault of lbsp");
}

class Supersteps {
 public:
  explicit Supersteps(lbsp::World& world)
      : world_(world),
        sizes_(world.size()),
        queue_(world),
        inbox_(world, most_bytes * static_cast<std::size_t>(world.size())),
        parts_(most_bytes * static_cast<std::size_t>(world.size())) {
    world.sync();
  }

  void run(std::uint64_t step) {
    sizes_.draw();
    for (lbsp::Rank next = 1; next < world_.size(); ++next)
      send((world_.rank() + next) % world_.size(), step);
    world_.sync();
    if (step % 3 == 0) {
      check_queue(step);
    } else {
      check_inbox(step);
    }
  }

 private:
  void send(lbsp::Rank to, std::uint64_t step) {
    const auto part =
        std::span(parts_).subspan(static_cast<std::size_t>(to) * most_bytes, sizes_.of(world_.rank(), to));
    part.back() = static_cast<std::byte>(step);
    const Mark mark{static_cast<std::uint64_t>(world_.rank()), step};
    std::memcpy(part.data(), &mark, sizeof mark);
    const std::span<const std::byte> message = part;
    const std::size_t place = most_bytes * static_cast<std::size_t>(world_.rank());
    if (step % 3 == 0) {
      queue_.send(to, 0, message);
    } else if (step % 3 == 1) {
      inbox_.put(to, place, message);
    } else {
      inbox_.put_unbuffered(to, place, message);
    }
  }

  /// The last byte is part of the mark where the message has no more than that.
  void check(lbsp::Rank from, std::span<const std::byte> message, std::uint64_t step) const {
    require(message.size() == sizes_.of(from, world_.rank()));
    Mark mark{};
    std::memcpy(&mark, message.data(), sizeof mark);
    require(mark.from == static_cast<std::uint64_t>(from) && mark.step == step);
    require(message.size() == sizeof mark || message.back() == static_cast<std::byte>(step));
  }

  void check_queue(std::uint64_t step) const {
    int came = 0;
    for (const auto received : queue_) {
      const std::span<const std::byte> message = received.values();
      require(message.size() >= sizeof(Mark));
      Mark mark{};
      std::memcpy(&mark, message.data(), sizeof mark);
      require(mark.from < static_cast<std::uint64_t>(world_.size()));
      check(static_cast<lbsp::Rank>(mark.from), message, step);
      ++came;
    }
    require(came == world_.size() - 1);
  }

  void check_inbox(std::uint64_t step) const {
    for (lbsp::Rank from = 0; from < world_.size(); ++from) {
      if (from == world_.rank()) continue;
      check(from,
            std::span<const std::byte>(inbox_.local())
                .subspan(most_bytes * static_cast<std::size_t>(from), sizes_.of(from, world_.rank())),
            step);
    }
  }

  lbsp::World& world_;
  Sizes sizes_;
  lbsp::Queue<std::byte> queue_;
  lbsp::Coarray<std::byte> inbox_;
  std::vector<std::byte> parts_;
};

/// What this process has of the system.
struct Holdings {
  std::uint64_t resident_kib = 0;
  std::uint64_t descriptors = 0;
};

Holdings holdings() {
  Holdings held;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) held.resident_kib = std::strtoull(line.c_str() + 6, nullptr, 10);
  }
  const std::filesystem::directory_iterator open("/proc/self/fd");
  held.descriptors = static_cast<std::uint64_t>(std::distance(begin(open), end(open)));
  return held;
}

/// A twentieth and a MiB are left to the allocator; what grew with every superstep would be far more.
bool grown(const Holdings& before, const Holdings& after) {
  return after.descriptors > before.descriptors ||
         after.resident_kib > before.resident_kib + before.resident_kib / 20 + 1024;
}

void run_all(lbsp::World& world, std::uint64_t count) {
  constexpr std::size_t fields = 4;
  const lbsp::Coarray<std::uint64_t> table(world, fields * static_cast<std::size_t>(world.size()));
  Supersteps supersteps(world);
  for (std::uint64_t step = 0; step < count / 10; ++step)
    supersteps.run(step);
  const Holdings before = holdings();
  for (std::uint64_t step = count / 10; step < count; ++step)
    supersteps.run(step);
  const Holdings after = holdings();

  const std::array<std::uint64_t, fields> row{before.resident_kib, after.resident_kib, before.descriptors,
                                              after.descriptors};
  table.put(0, fields * static_cast<std::size_t>(world.rank()), std::span<const std::uint64_t>(row));
  world.sync();
  for (std::size_t rank = 0; world.rank() == 0 && rank < static_cast<std::size_t>(world.size()); ++rank) {
    const auto of = table.local().subspan(fields * rank, fields);
    std::printf("rank %zu: %llu KiB after a tenth, %llu KiB at the end; %llu descriptors, then %llu\n", rank,
                static_cast<unsigned long long>(of[0]), static_cast<unsigned long long>(of[1]),
                static_cast<unsigned long long>(of[2]), static_cast<unsigned long long>(of[3]));
  }
  if (grown(before, after)) throw lbsp::Error("memory or descriptors grew: this is a fault of lbsp");
}

}  // namespace

int main(int count, char** words) {
  char* end = nullptr;
  const std::uint64_t supersteps = count < 2 ? fewest_supersteps : std::strtoull(words[1], &end, 10);
  if (supersteps < fewest_supersteps || (end != nullptr && *end != '\0')) {
    std::fprintf(stderr, "lbsp: %s supersteps cannot be run: give a number from %llu on\n", words[1],
                 static_cast<unsigned long long>(fewest_supersteps));
    return 1;
  }
  return lbsp::run([&](lbsp::World& world) { run_all(world, supersteps); });
}
