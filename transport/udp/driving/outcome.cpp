#include "transport/udp/driving/outcome.hpp"

#include <utility>

namespace lbsp::transport {

void Outcome::publish(const Figures& figures) {
  const std::lock_guard lock(mutex_);
  figures_ = figures;
}

void Outcome::publish_awaited(std::vector<Rank> ranks) {
  const std::lock_guard lock(mutex_);
  awaited_ = std::move(ranks);
}

void Outcome::complete(std::vector<Bytes> messages, std::exception_ptr error, const Place& world,
                       const Figures& figures) {
  const std::lock_guard lock(mutex_);
  messages_ = std::move(messages);
  error_ = std::move(error);
  awaited_.clear();
  world_ = world;
  figures_ = figures;
  completed_ = true;
}

void Outcome::set_told() {
  const std::lock_guard lock(mutex_);
  told_ = true;
  changed_.notify_all();
}

void Outcome::break_by(std::exception_ptr broken) {
  const std::lock_guard lock(mutex_);
  broken_ = std::move(broken);
  is_broken_ = true;
  told_ = true;
  changed_.notify_all();
}

bool Outcome::is_told() const {
  const std::lock_guard lock(mutex_);
  return told_;
}

void Outcome::wait_until_told(Duration most) const {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, most, [this] { return told_; });
}

void Outcome::throw_if_failed() const {
  const std::lock_guard lock(mutex_);
  if (broken_) std::rethrow_exception(broken_);
  if (completed_ && error_) std::rethrow_exception(error_);
}

std::vector<Rank> Outcome::awaited() const {
  const std::lock_guard lock(mutex_);
  return awaited_;
}

std::vector<Bytes> Outcome::take() {
  const std::lock_guard lock(mutex_);
  if (!completed_) std::rethrow_exception(broken_);
  completed_ = false;
  rank_ = world_.rank;
  size_ = world_.size;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  return std::move(messages_);
}

}  // namespace lbsp::transport
