#include "transport/udp/io_thread.hpp"

#include <fmt/format.h>
#include <string>
#include <system_error>

#include "transport/blocked_signals.hpp"
#include "transport/error.hpp"

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

IoThread::IoThread(UdpPort port, const UdpJob& job)
    : rank_(job.rank),
      size_(static_cast<Rank>(job.addresses.size())),
      world_rank_(job.rank),
      world_size_(static_cast<Rank>(job.addresses.size())),
      driver_(std::move(port), checked(job)) {
  driver_.on_event([this] { look_for_completion(); });
  try {
    const BlockedSignals blocked;
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    throw SystemError("no thread for the network: raise the limit of threads (ulimit -u)");
  }
}

IoThread::~IoThread() {
  driver_.post([this] { driver_.close(); });
  thread_.join();
}

std::vector<Bytes> IoThread::wait(const std::function<void()>& look) {
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
  rank_ = world_rank_;
  size_ = world_size_;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  return std::move(messages_);
}

void IoThread::throw_if_failed() const {
  const std::lock_guard lock(mutex_);
  if (broken_) std::rethrow_exception(broken_);
  if (completed_ && error_) std::rethrow_exception(error_);
}

void IoThread::look_for_completion() {
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
  if (failure || driver_.endpoint().change()) {
    complete({}, end_of_world());
  } else if (awaited_(driver_.endpoint())) {
    complete(awaits_messages_ ? driver_.endpoint().take_messages() : std::vector<Bytes>{}, nullptr);
  }
}

/// What is thrown instead of the messages.
std::exception_ptr IoThread::end_of_world() {
  if (!driver_.endpoint().failure())
    return std::make_exception_ptr(WorldChanged(driver_.endpoint().take_change()));
  try {
    throw_failure(*driver_.endpoint().failure());
  } catch (...) {
    return std::current_exception();
  }
}

void IoThread::complete(std::vector<Bytes> messages, std::exception_ptr error) {
  awaited_ = nullptr;
  const std::lock_guard lock(mutex_);
  messages_ = std::move(messages);
  error_ = std::move(error);
  world_rank_ = driver_.endpoint().rank();
  world_size_ = driver_.endpoint().size();
  publish();
  completed_ = true;
  changed_.notify_all();
}

/// All figures are of one moment.
void IoThread::publish() {
  counters_ = driver_.endpoint().counters();
  network_ = driver_.endpoint().network();
  forecast_ = driver_.endpoint().forecast();
  losses_ = driver_.losses();
}

void IoThread::run() noexcept {
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

void IoThread::abort(std::string_view reason) noexcept {
  try {
    driver_.post([this, text = std::string(reason)] { driver_.endpoint().abort(text, UdpDriver::now()); });
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, UdpDriver::longest_farewell, [&] { return told_; });
  } catch (...) {  // no memory for the reason: the others will find this rank silent
  }
}

}  // namespace lbsp::transport
