#include "transport/udp/udp_exchange.hpp"

#include <condition_variable>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <system_error>
#include <thread>

#include "transport/blocked_signals.hpp"
#include "transport/error.hpp"
#include "transport/exchange_arguments.hpp"
#include "transport/udp/driver.hpp"

namespace lbsp::transport {
namespace {

const UdpJob& checked(const UdpJob& job) {
  validate(job.options);
  if (job.rank < 0 || static_cast<std::size_t>(job.rank) >= job.addresses.size()) {
    throw UsageError(fmt::format("rank {} has no entry among {} addresses: give one per rank", job.rank,
                                 job.addresses.size()));
  }
  return job;
}

}  // namespace

/// The program's side, and the hand-over between its thread and the driver's.
class UdpExchange::Implementation {
 public:
  Implementation(UdpPort port, const UdpJob& job)
      : rank_(job.rank),
        size_(static_cast<Rank>(job.addresses.size())),
        driver_(std::move(port), checked(job)) {
    driver_.on_event([this] { look_for_completion(); });
    try {
      const BlockedSignals blocked;
      thread_ = std::thread([this] { run(); });
    } catch (const std::system_error&) {
      throw SystemError("no thread for the network: raise the limit of threads (ulimit -u)");
    }
  }

  ~Implementation() {
    driver_.post([this] { driver_.close(); });
    thread_.join();
  }

  Rank rank() const { return rank_; }
  Rank size() const { return size_; }

  /// Runs begin(endpoint, now) on the I/O thread. wait() returns when the endpoint is done or has failed.
  template <class Begin>
  void start(bool (*done)(const Endpoint&), bool has_messages, Begin begin);
  /// Calls `look`, if there is one, now and then.
  std::vector<Bytes> wait(const std::function<void()>& look = {});
  template <class Begin>
  std::vector<Bytes> call(bool (*done)(const Endpoint&), bool has_messages, Begin begin) {
    start(done, has_messages, std::move(begin));
    return wait();
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
  void publish();
  void complete(std::vector<Bytes> messages, std::exception_ptr error);

  Rank rank_;
  Rank size_;
  UdpDriver driver_;
  std::thread thread_;

  // The I/O thread's.
  bool (*awaited_)(const Endpoint&) = nullptr;  ///< what the program waits for
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
void UdpExchange::Implementation::start(bool (*done)(const Endpoint&), bool has_messages, Begin begin) {
  driver_.post([this, done, has_messages, begin = std::move(begin)]() mutable {
    try {
      if (!driver_.endpoint().failure()) begin(driver_.endpoint(), UdpDriver::now());
      awaited_ = done;
      awaits_messages_ = has_messages;
    } catch (...) {
      complete({}, std::current_exception());
    }
  });
}

std::vector<Bytes> UdpExchange::Implementation::wait(const std::function<void()>& look) {
  constexpr std::chrono::milliseconds between_looks{20};
  std::unique_lock lock(mutex_);
  const auto over = [&] { return completed_ || broken_; };
  if (!look) changed_.wait(lock, over);
  while (!changed_.wait_for(lock, between_looks, over)) {
    lock.unlock();
    look();
    lock.lock();
  }
  if (!completed_) std::rethrow_exception(broken_);
  completed_ = false;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  return std::move(messages_);
}

void UdpExchange::Implementation::throw_if_failed() const {
  const std::lock_guard lock(mutex_);
  if (broken_) std::rethrow_exception(broken_);
  if (completed_ && error_) std::rethrow_exception(error_);
}

void UdpExchange::Implementation::look_for_completion() {
  const auto& failure = driver_.endpoint().failure();
  if (failure && !told_ && driver_.farewell_over()) {
    const std::lock_guard lock(mutex_);
    told_ = true;
    changed_.notify_all();
  }
  if (awaited_ == nullptr) {
    // The program may ask while what it has handed over is still being sent.
    const std::lock_guard lock(mutex_);
    publish();
    return;
  }
  if (failure) {
    try {
      throw_failure(*failure);
    } catch (...) {
      complete({}, std::current_exception());
    }
  } else if (awaited_(driver_.endpoint())) {
    complete(awaits_messages_ ? driver_.endpoint().take_messages() : std::vector<Bytes>{}, nullptr);
  }
}

void UdpExchange::Implementation::complete(std::vector<Bytes> messages, std::exception_ptr error) {
  awaited_ = nullptr;
  const std::lock_guard lock(mutex_);
  messages_ = std::move(messages);
  error_ = std::move(error);
  publish();
  completed_ = true;
  changed_.notify_all();
}

/// All figures are of one moment.
void UdpExchange::Implementation::publish() {
  counters_ = driver_.endpoint().counters();
  network_ = driver_.endpoint().network();
  forecast_ = driver_.endpoint().forecast();
  losses_ = driver_.losses();
}

void UdpExchange::Implementation::run() noexcept {
  std::exception_ptr broken;
  try {
    driver_.run();
    return;
  } catch (const Error&) {
    broken = std::current_exception();
  } catch (const std::exception& error) {
    broken = std::make_exception_ptr(
        SystemError(fmt::format("the network thread failed ({}): start the job again", error.what())));
  }
  const std::lock_guard lock(mutex_);
  broken_ = std::move(broken);
  told_ = true;
  changed_.notify_all();
}

void UdpExchange::Implementation::abort(std::string_view reason) noexcept {
  try {
    driver_.post([this, text = std::string(reason)] { driver_.endpoint().abort(text, UdpDriver::now()); });
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, UdpDriver::longest_farewell, [&] { return told_; });
  } catch (...) {  // no memory for the reason: the others will find this rank silent
  }
}

UdpExchange::UdpExchange(UdpPort port, const UdpJob& job) {
  try {
    implementation_ = std::make_unique<Implementation>(std::move(port), job);
  } catch (const boost::system::system_error& error) {
    throw SystemError(
        fmt::format("the network cannot be waited for ({}): close programs or raise the limit of open files",
                    error.code().message()));
  }
}

UdpExchange::~UdpExchange() = default;

Rank UdpExchange::rank() const noexcept {
  return implementation_->rank();
}
Rank UdpExchange::size() const noexcept {
  return implementation_->size();
}

namespace {

bool leg_is_over(const Endpoint& endpoint) {
  return endpoint.exchange_complete();
}

}  // namespace

std::vector<Bytes> UdpExchange::exchange(std::vector<Bytes> outgoing) {
  check_outgoing(outgoing, size());
  return implementation_->call(leg_is_over, true,
                               [outgoing = std::move(outgoing)](Endpoint& endpoint, Instant now) mutable {
                                 endpoint.begin_exchange(std::move(outgoing), now);
                               });
}

std::vector<Bytes> UdpExchange::last_exchange(std::vector<Bytes> outgoing) {
  begin_last_exchange(std::move(outgoing));
  return implementation_->wait();
}

std::vector<Bytes> UdpExchange::reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                                      const std::vector<Rank>& sources) {
  begin_reply(std::move(outgoing), destinations, sources);
  return implementation_->wait();
}

void UdpExchange::begin_exchange_with(const std::vector<Rank>& others, std::vector<Bytes> outgoing) {
  check_outgoing(outgoing, size());
  check_ranks(others, rank(), size());
  implementation_->start(leg_is_over, true,
                         [others, outgoing = std::move(outgoing)](Endpoint& endpoint, Instant now) mutable {
                           endpoint.begin_exchange_with(others, std::move(outgoing), now);
                         });
}

void UdpExchange::begin_last_exchange(std::vector<Bytes> outgoing) {
  check_outgoing(outgoing, size());
  implementation_->start(leg_is_over, true,
                         [outgoing = std::move(outgoing)](Endpoint& endpoint, Instant now) mutable {
                           endpoint.begin_last_exchange(std::move(outgoing), now);
                         });
}

void UdpExchange::begin_reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                              const std::vector<Rank>& sources) {
  check_outgoing(outgoing, size());
  check_ranks(destinations, rank(), size());
  check_ranks(sources, rank(), size());
  implementation_->start(
      leg_is_over, true,
      [outgoing = std::move(outgoing), destinations, sources](Endpoint& endpoint, Instant now) mutable {
        endpoint.begin_reply(std::move(outgoing), destinations, sources, now);
      });
}

std::vector<Bytes> UdpExchange::complete(const std::function<void()>& look) {
  return implementation_->wait(look);
}

void UdpExchange::throw_if_failed() const {
  implementation_->throw_if_failed();
}

void UdpExchange::finish() {
  implementation_->call([](const Endpoint& endpoint) { return endpoint.finished(); }, false,
                        [](Endpoint& endpoint, Instant now) { endpoint.begin_finish(now); });
}

void UdpExchange::abort(std::string_view reason) noexcept {
  implementation_->abort(reason);
}

TrafficCounters UdpExchange::counters() const {
  return implementation_->counters();
}
Forecast UdpExchange::forecast() const {
  return implementation_->forecast();
}
NetworkMeasure UdpExchange::network() const {
  return implementation_->network();
}
UdpLosses UdpExchange::losses() const {
  return implementation_->losses();
}

}  // namespace lbsp::transport
