// All-to-all supersteps of one size under lbsp run; rank 0 prints the median in microseconds. The words are those of
// timing.hpp, all five, and behind them how the bytes travel: queue (read where they arrived), put (written to a
// coarray), unbuffered (written there with no copy on the way) or get (read from one).
#include <numeric>
#include <string>

#include "benchmarks/one_machine/timing.hpp"
#include "lbsp/coarray.hpp"
#include "lbsp/job/run.hpp"
#include "lbsp/queue.hpp"
#include "transport/error.hpp"

namespace {

using lbsp::benchmark::Work;

/// A part for each rank, as MPI_Alltoall has it.
class Sender {
 public:
  Sender(lbsp::World& world, const Work& work)
      : world_(world), work_(work), parts_(work.bytes * static_cast<std::size_t>(world.size())) {}

  template <class Send>
  void send(Send send) {
    if (work_.bytes == 0) return;
    for (lbsp::Rank next = 1; next < world_.size(); ++next) {
      const lbsp::Rank to = (world_.rank() + next) % world_.size();
      const auto part = std::span(parts_).subspan(static_cast<std::size_t>(to) * work_.bytes, work_.bytes);
      lbsp::benchmark::write_values(work_, part, static_cast<std::byte>(world_.superstep()));
      send(to, std::span<const std::byte>(part));
    }
  }
  void check(std::span<const std::byte> message) const {
    if (!lbsp::benchmark::has_values(work_, message, static_cast<std::byte>(world_.superstep() - 1)))
      throw lbsp::Error("a message is not what was sent: this is a fault of lbsp");
  }

 private:
  lbsp::World& world_;
  const Work& work_;
  std::vector<std::byte> parts_;
};

double through_a_queue(lbsp::World& world, const Work& work) {
  lbsp::Queue<std::byte> queue(world);
  Sender sender(world, work);
  return microseconds_of(work, [&] {
    sender.send([&](lbsp::Rank to, auto message) { queue.send(to, 0, message); });
    world.sync();
    for (const auto received : queue)
      sender.check(received.values());
  });
}

double into_a_coarray(lbsp::World& world, const Work& work, bool buffered) {
  lbsp::Coarray<std::byte> inbox(world, work.bytes * static_cast<std::size_t>(world.size()));
  Sender sender(world, work);
  world.sync();
  return microseconds_of(work, [&] {
    const std::size_t own = work.bytes * static_cast<std::size_t>(world.rank());
    sender.send([&](lbsp::Rank to, auto message) {
      if (buffered) {
        inbox.put(to, own, message);
      } else {
        inbox.put_unbuffered(to, own, message);
      }
    });
    world.sync();
    for (lbsp::Rank from = 0; from < world.size() && work.bytes > 0; ++from) {
      if (from != world.rank())
        sender.check(std::span<const std::byte>(inbox.local())
                         .subspan(work.bytes * static_cast<std::size_t>(from), work.bytes));
    }
  });
}

double by_gets(lbsp::World& world, const Work& work) {
  const lbsp::Coarray<std::byte> shown(world, work.bytes);
  std::vector<std::byte> got(work.bytes * static_cast<std::size_t>(world.size()));
  world.sync();
  return microseconds_of(work, [&] {
    const auto mark = static_cast<std::byte>(world.superstep());
    if (work.bytes > 0) lbsp::benchmark::write_values(work, shown.local(), mark);
    const auto part = [&](lbsp::Rank rank) {
      return std::span(got).subspan(static_cast<std::size_t>(rank) * work.bytes, work.bytes);
    };
    for (lbsp::Rank from = 0; from < world.size(); ++from) {
      if (from != world.rank()) shown.get(from, 0, part(from));
    }
    world.sync();
    for (lbsp::Rank from = 0; from < world.size() && work.bytes > 0; ++from) {
      if (from != world.rank() && !lbsp::benchmark::has_values(work, part(from), mark))
        throw lbsp::Error("a get is not filled with what it asked for: this is a fault of lbsp");
    }
  });
}

double time_of(lbsp::World& world, const Work& work, const std::string& how) {
  if (how == "queue") return through_a_queue(world, work);
  if (how == "get") return by_gets(world, work);
  return into_a_coarray(world, work, how == "put");
}

}  // namespace

int main(int count, char** words) {
  const Work work = lbsp::benchmark::work_from(count, words);
  const std::string how = count < 6 ? "queue" : words[5];
  return lbsp::run([&](lbsp::World& world) {
    const double time = time_of(world, work, how);
    if (world.rank() == 0) std::printf("%.3f\n", time);
  });
}
