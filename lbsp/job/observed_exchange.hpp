#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lbsp/job/messages.hpp"
#include "transport/forwarding_exchange.hpp"

namespace lbsp::job {

/// Another exchange, and what others may know of it while it runs: how far it is, what it has cost, and
/// whether it was this rank that ended the job.
class ObservedExchange final : public transport::ForwardingExchange {
 public:
  using OnAbort = std::function<void(std::string_view reason)>;

  /// `on_abort` is called when this rank ends the job, by the thread that ends it, before the others learn it. It must
  /// not throw.
  ObservedExchange(transport::Exchange& inner, OnAbort on_abort)
      : ForwardingExchange(inner), on_abort_(std::move(on_abort)) {}

  /// Completed first legs. Any thread may ask.
  std::uint64_t supersteps() const noexcept { return supersteps_.load(std::memory_order_relaxed); }
  /// How far the rank is. Any thread may ask.
  Progress progress() const noexcept {
    return {supersteps(), call_began_.load(std::memory_order_relaxed) != none};
  }
  /// What the rank has done up to its last completed call, and how long it has waited in the one that has not
  /// come back. Any thread may ask.
  RankReport so_far() const {
    const std::lock_guard lock(mutex_);
    RankReport report = done_;
    report.supersteps = supersteps();
    const auto now = Clock::now();
    report.total = now - began_;
    if (const auto began = call_began_.load(std::memory_order_relaxed); began != none) {
      report.waiting = now - Clock::time_point{Clock::duration{began}};
      report.totals.communicate += report.waiting;
    }
    report.totals.compute = report.total - report.totals.communicate;
    return report;
  }
  /// Any thread may ask.
  bool aborted_here() const noexcept { return aborted_here_.load(std::memory_order_relaxed); }

  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    return first_leg([&] { return ForwardingExchange::exchange(std::move(outgoing)); });
  }
  std::vector<Bytes> last_exchange(std::vector<Bytes> outgoing) override {
    return first_leg([&] { return ForwardingExchange::last_exchange(std::move(outgoing)); });
  }
  std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources) override {
    return leg([&] { return ForwardingExchange::reply(std::move(outgoing), destinations, sources); });
  }

  void finish() override {
    const InCall in_call(*this);
    ForwardingExchange::finish();
  }

  void abort(std::string_view reason) noexcept override {
    if (!aborted_here_.exchange(true, std::memory_order_relaxed)) on_abort_(reason);
    ForwardingExchange::abort(reason);
  }

 private:
  std::span<const std::span<const std::byte>> exchange(std::span<const std::size_t> lengths,
                                                       bool last) override {
    return first_leg([&] { return ForwardingExchange::exchange(lengths, last); });
  }
  void settle(Leg which, std::span<const Rank> owners, std::span<const Rank> readers) override {
    leg([&] {
      ForwardingExchange::settle(which, owners, readers);
      return true;
    });
  }

  using Clock = std::chrono::steady_clock;
  static constexpr Clock::rep none = 0;

  /// The time in a call that needs the other ranks, however it ends.
  class InCall {
   public:
    explicit InCall(ObservedExchange& of) : of_(of) {
      of_.call_began_.store(began_.time_since_epoch().count(), std::memory_order_relaxed);
    }
    InCall(const InCall&) = delete;
    InCall& operator=(const InCall&) = delete;
    ~InCall() { of_.call_began_.store(none, std::memory_order_relaxed); }

    Clock::time_point began() const { return began_; }

   private:
    ObservedExchange& of_;
    Clock::time_point began_ = Clock::now();
  };

  template <class Call>
  std::invoke_result_t<Call> first_leg(Call call) {
    return leg([&] {
      auto incoming = call();
      supersteps_.fetch_add(1, std::memory_order_relaxed);
      return incoming;
    });
  }

  template <class Call>
  std::invoke_result_t<Call> leg(Call call) {
    const InCall in_call(*this);
    auto incoming = call();
    note(in_call.began());
    return incoming;
  }

  void note(Clock::time_point call_began) {
    const auto communicated = Clock::now() - call_began;
    const std::lock_guard lock(mutex_);
    call_began_.store(none, std::memory_order_relaxed);
    done_.totals.communicate += communicated;
    done_.totals.traffic = counters();
    done_.network = network();
  }

  OnAbort on_abort_;
  const Clock::time_point began_ = Clock::now();
  mutable std::mutex mutex_;
  RankReport done_;  ///< under the mutex
  std::atomic<std::uint64_t> supersteps_ = 0;
  std::atomic<Clock::rep> call_began_ = none;
  std::atomic<bool> aborted_here_ = false;
};

}  // namespace lbsp::job
