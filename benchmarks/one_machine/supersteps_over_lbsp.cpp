// All-to-all supersteps of one size under lbsp run; rank 0 prints the median in microseconds. The words are those of
// timing.hpp and, behind them, how the bytes travel: queue (read where they arrived) or put (written to a coarray).
#include <numeric>
#include <string>

#include "benchmarks/one_machine/timing.hpp"
#include "lbsp/coarray.hpp"
#include "lbsp/job/run.hpp"
#include "lbsp/queue.hpp"
#include "transport/error.hpp"

namespace {

using lbsp::benchmark::Work;

class Sender {
 public:
  Sender(lbsp::World& world, std::size_t bytes) : world_(world), message_(bytes) {}

  template <class Send>
  void send(Send send) {
    if (message_.empty()) return;
    // A mark that the receiver checks: what is timed has been carried.
    message_.front() = message_.back() = static_cast<std::byte>(world_.superstep());
    for (lbsp::Rank next = 1; next < world_.size(); ++next)
      send((world_.rank() + next) % world_.size(), std::span<const std::byte>(message_));
  }
  void check(std::span<const std::byte> message) const {
    const auto mark = static_cast<std::byte>(world_.superstep() - 1);
    if (message.size() != message_.size() || message.front() != mark || message.back() != mark)
      throw lbsp::Error("a message is not what was sent: this is a fault of lbsp");
  }

 private:
  lbsp::World& world_;
  std::vector<std::byte> message_;
};

double through_a_queue(lbsp::World& world, const Work& work) {
  lbsp::Queue<std::byte> queue(world);
  Sender sender(world, work.bytes);
  return microseconds_of(work, [&] {
    sender.send([&](lbsp::Rank to, auto message) { queue.send(to, 0, message); });
    world.sync();
    for (const auto received : queue)
      sender.check(received.values());
  });
}

double into_a_coarray(lbsp::World& world, const Work& work) {
  lbsp::Coarray<std::byte> inbox(world, work.bytes * static_cast<std::size_t>(world.size()));
  Sender sender(world, work.bytes);
  world.sync();
  return microseconds_of(work, [&] {
    const std::size_t own = work.bytes * static_cast<std::size_t>(world.rank());
    sender.send([&](lbsp::Rank to, auto message) { inbox.put(to, own, message); });
    world.sync();
    for (lbsp::Rank from = 0; from < world.size() && work.bytes > 0; ++from) {
      if (from != world.rank())
        sender.check(std::span<const std::byte>(inbox.local())
                         .subspan(work.bytes * static_cast<std::size_t>(from), work.bytes));
    }
  });
}

}  // namespace

int main(int count, char** words) {
  const Work work = lbsp::benchmark::work_from(count, words);
  const bool queue = count < 5 || std::string(words[4]) == "queue";
  return lbsp::run([&](lbsp::World& world) {
    const double time = queue ? through_a_queue(world, work) : into_a_coarray(world, work);
    if (world.rank() == 0) std::printf("%.3f\n", time);
  });
}
