#include "transport/udp/driving/turns.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace lbsp::transport {
namespace {

/// A thread that takes its turns as the network's does, and stays in each until it is interrupted.
class Network {
 public:
  Network() : turns_([this] { interrupted_ = true; }), thread_([this] { run(); }) {}
  ~Network() {
    ended_ = true;
    turns_.hurry();
    thread_.join();
  }

  Turns& turns() { return turns_; }
  /// Written in turns only, without a lock.
  int driven = 0;
  /// Waits until the network has its turn.
  void await_turn() const {
    while (!driving_)
      std::this_thread::yield();
  }
  bool driving() const { return driving_; }

 private:
  void run() {
    while (!ended_) {
      turns_.await();
      ++driven;
      driving_ = true;
      while (!interrupted_ && !ended_)
        std::this_thread::yield();
      driving_ = false;
      interrupted_ = false;
      turns_.pause();
    }
  }

  std::atomic<bool> interrupted_ = false;
  std::atomic<bool> driving_ = false;
  std::atomic<bool> ended_ = false;
  Turns turns_;
  std::thread thread_;
};

TEST(Turns, are_the_network_s_at_first_and_whenever_the_program_computes_on) {
  Network network;
  network.await_turn();
  for (int call = 0; call < 3; ++call) {
    network.turns().take();
    EXPECT_FALSE(network.driving());
    network.turns().give(false);
    network.await_turn();
  }
  network.turns().take();
  EXPECT_EQ(network.driven, 4);
  network.turns().give(false);
}

TEST(Turns, are_never_of_two) {
  Network network;
  const auto program = [&network] {
    for (int call = 0; call < 300; ++call) {
      network.turns().take();
      EXPECT_FALSE(network.driving());
      ++network.driven;
      network.turns().give(call % 16 == 0);
    }
  };
  std::thread other(program);
  program();
  other.join();
  network.turns().take();
  EXPECT_GE(network.driven, 600);
  network.turns().give(false);
}

TEST(Turns, of_the_network_come_after_a_call_in_which_it_has_fallen_asleep) {
  Network network;
  network.turns().take();
  std::this_thread::sleep_for(4 * Turns::grace);
  EXPECT_FALSE(network.driving());
  network.turns().give(false);
  network.await_turn();
}

TEST(Turns, of_the_network_come_at_once_for_who_hurries_during_a_call) {
  Network network;
  network.await_turn();
  network.turns().take();
  network.turns().hurry();
  EXPECT_FALSE(network.driving());
  network.turns().give(false);
  network.await_turn();
}

}  // namespace
}  // namespace lbsp::transport
