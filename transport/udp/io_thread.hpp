#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "transport/exchange.hpp"
#include "transport/udp/driver.hpp"
#include "transport/udp/port.hpp"
#include "transport/udp/udp_job.hpp"

namespace lbsp::transport {

/// The thread that drives a rank's endpoint, and the hand-over between it and the program's thread, which calls.
class IoThread {
 public:
  /// Throws as UdpExchange does.
  IoThread(UdpPort port, const UdpJob& job);
  ~IoThread();

  /// Of the world as it was when wait() returned last, or threw WorldChanged. Any thread may ask.
  Rank rank() const { return rank_; }
  Rank size() const { return size_; }

  /// Runs begin(endpoint, now) on the I/O thread, unless there is no going on in this world. wait() returns when the
  /// endpoint is done, the world has changed, or the endpoint has failed.
  template <class Begin>
  void start(bool (*done)(const LastingEndpoint&), bool has_messages, Begin begin);
  /// Calls `look`, if there is one, now and then.
  std::vector<Bytes> wait(const std::function<void()>& look = {});
  template <class Begin>
  std::vector<Bytes> call(bool (*done)(const LastingEndpoint&), bool has_messages, Begin begin) {
    start(done, has_messages, std::move(begin));
    return wait();
  }

  /// Runs action(endpoint) on the I/O thread, unless the world has changed meanwhile.
  template <class Action>
  void post(Action action) {
    driver_.post([this, action = std::move(action)]() mutable {
      if (!driver_.endpoint().change()) action(driver_.endpoint());
    });
  }

  void throw_if_failed() const;
  void abort(std::string_view reason) noexcept;

  TrafficCounters counters() const { return locked(counters_); }
  NetworkMeasure network() const { return locked(network_); }
  Forecast forecast() const { return locked(forecast_); }
  UdpLosses losses() const { return locked(losses_); }

 private:
  template <class Value>
  Value locked(const Value& value) const {
    const std::lock_guard lock(mutex_);
    return value;
  }

  void run() noexcept;
  void look_for_completion();
  std::exception_ptr end_of_world();
  void publish();
  void complete(std::vector<Bytes> messages, std::exception_ptr error);

  // Set by the program's thread.
  std::atomic<Rank> rank_;
  std::atomic<Rank> size_;

  // Shared, under the mutex.
  Rank world_rank_;
  Rank world_size_;

  UdpDriver driver_;
  std::thread thread_;

  // The I/O thread's.
  bool (*awaited_)(const LastingEndpoint&) = nullptr;  ///< what the program waits for
  bool awaits_messages_ = false;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Below: shared, under the mutex.
  bool completed_ = false;
  bool told_ = false;  ///< the others know of the failure, or it took too long
  std::vector<Bytes> messages_;
  std::exception_ptr error_;
  std::exception_ptr broken_;  ///< what ended the I/O thread
  TrafficCounters counters_;
  NetworkMeasure network_;
  Forecast forecast_;
  UdpLosses losses_;
};

template <class Begin>
void IoThread::start(bool (*done)(const LastingEndpoint&), bool has_messages, Begin begin) {
  driver_.post([this, done, has_messages, begin = std::move(begin)]() mutable {
    try {
      LastingEndpoint& endpoint = driver_.endpoint();
      if (!endpoint.failure() && !endpoint.change()) begin(endpoint, UdpDriver::now());
      awaited_ = done;
      awaits_messages_ = has_messages;
    } catch (...) {
      complete({}, std::current_exception());
    }
  });
}

}  // namespace lbsp::transport
