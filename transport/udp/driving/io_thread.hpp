#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "transport/exchange.hpp"
#include "transport/process/spin_budget.hpp"
#include "transport/process/thread_clock.hpp"
#include "transport/udp/driving/awaited_call.hpp"
#include "transport/udp/driving/driver.hpp"
#include "transport/udp/driving/missed_news.hpp"
#include "transport/udp/driving/outcome.hpp"
#include "transport/udp/driving/turns.hpp"
#include "transport/udp/driving/udp_job.hpp"
#include "transport/udp/sockets/port.hpp"

namespace lbsp::transport {

/// What drives a rank's endpoint: the program's thread while it waits here, otherwise a thread of its own (turns.hpp).
///
/// The program's thread gives its turn back at a call's end, also where something is thrown. What goes wrong with the
/// socket ends both threads' turns for good, and every call throws it. How long a turn takes the protocol bounds. What
/// other threads ask for is posted to the one whose turn it is. Who is stopped in its turn answers nobody meanwhile.
class IoThread {
 public:
  /// Throws as UdpExchange does.
  IoThread(UdpPort port, const UdpJob& job);
  ~IoThread();

  /// Of the world as it was when wait() returned last, or threw WorldChanged. Any thread may ask.
  Rank rank() const { return outcome_.rank(); }
  Rank size() const { return outcome_.size(); }

  /// Runs begin(endpoint, now), unless there is no going on in this world. wait() returns when the endpoint is done,
  /// the world has changed, or the endpoint has failed.
  template <class Begin>
  void start(AwaitedCall::Done done, bool has_messages, Begin begin) {
    const Turn turn(*this);
    start_in_turn(done, has_messages, std::move(begin));
  }
  /// Calls `look`, if there is one, now and then.
  std::vector<Bytes> wait(const std::function<void()>& look = {});
  template <class Begin>
  std::vector<Bytes> call(AwaitedCall::Done done, bool has_messages, Begin begin) {
    {
      const Turn turn(*this);
      start_in_turn(done, has_messages, std::move(begin));
      drive({});
    }
    return outcome_.take();
  }

  /// Runs action(endpoint), unless the world has changed meanwhile.
  template <class Action>
  void act(Action action) {
    const Turn turn(*this);
    unless_broken([&] {
      driver_.loop().act([&] {
        if (!driver_.endpoint().change()) action(driver_.endpoint());
      });
    });
  }

  /// Until those are there which tell how fast the network is, if that has to be found, or no more are to be expected.
  void await_first_answers();

  void throw_if_failed() const { outcome_.throw_if_failed(); }
  void abort(std::string_view reason) noexcept;
  void take_notice(const LossNotice& notice) noexcept;
  void take_departures(const std::vector<Rank>& ranks) noexcept;

  /// As they were published last.
  template <class Figure>
  Figure get(Figure Outcome::Figures::*figure) const {
    return outcome_.get(figure);
  }
  /// As Exchange::awaited(). The thread whose turn it is looks when it is asked to.
  std::vector<Rank> awaited_ranks() {
    call_.ask_for_awaited();
    return outcome_.awaited();
  }
  /// Of the network's thread.
  Duration processor_time() { return processor_time_of(thread_); }

 private:
  /// The program's.
  class Turn {
   public:
    explicit Turn(IoThread& io) : io_(io) {
      io_.turns_.take();
      io_.driver_.loop().resume();
    }
    ~Turn() { io_.turns_.give(io_.outcome_.is_broken() || io_.driver_.loop().sends_within(Turns::grace)); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    IoThread& io_;
  };

  template <class Begin>
  void start_in_turn(AwaitedCall::Done done, bool has_messages, Begin begin);
  void abort_in_turn(const std::function<void()>& end);
  void drive(const std::function<void()>& look);
  int look_on(int looks);
  /// Runs step(), unless something has gone wrong before. If it throws, every call will throw that.
  template <class Step>
  void unless_broken(Step step) noexcept;
  void break_by_thrown() noexcept;

  void run() noexcept;

  std::atomic<bool> closing_ = false;  ///< set by the program's thread

  Outcome outcome_;
  UdpDriver driver_;
  AwaitedCall call_;  ///< of the thread whose turn it is
  Turns turns_;
  std::thread thread_;

  // Of the thread whose turn it is.
  SpinBudget spin_;
  MissedNews missed_;
};

template <class Begin>
void IoThread::start_in_turn(AwaitedCall::Done done, bool has_messages, Begin begin) {
  unless_broken([&] {
    driver_.loop().act([&] {
      try {
        LastingEndpoint& endpoint = driver_.endpoint();
        if (!endpoint.failure() && !endpoint.change()) begin(endpoint, UdpDriver::now());
        call_.begin(done, has_messages);
      } catch (...) {
        call_.fail(std::current_exception());
      }
    });
  });
}

template <class Step>
void IoThread::unless_broken(Step step) noexcept {
  if (outcome_.is_broken()) return;
  try {
    step();
  } catch (const std::exception&) {
    break_by_thrown();
  }
}

}  // namespace lbsp::transport
