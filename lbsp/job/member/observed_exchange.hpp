#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lbsp/job/forks.hpp"
#include "lbsp/job/messages.hpp"
#include "transport/forwarding_exchange.hpp"

namespace lbsp::job::member {

/// Another exchange, and what others may know of it while it runs: how far it is, and whether it was this rank that
/// ended the job. It reads no clock, for short supersteps take little longer than that: a World knows their times. A
/// child that the program has made by fork() ends at its first call that needs the other ranks.
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
    return {supersteps(), in_call_.load(std::memory_order_relaxed), epoch_.load(std::memory_order_relaxed),
            before_world_.load(std::memory_order_relaxed)};
  }
  /// From here on supersteps are those of the world of this epoch.
  void begin_world(std::uint32_t epoch) noexcept {
    before_world_.store(supersteps(), std::memory_order_relaxed);
    epoch_.store(epoch, std::memory_order_relaxed);
  }
  /// Which process the rank is.
  const Forks& forks() const noexcept { return forks_; }
  /// Any thread may ask.
  bool aborted_here() const noexcept { return aborted_here_.load(std::memory_order_relaxed); }

  /// Calls this once, when the next first leg is complete.
  void when_next_is_complete(std::function<void()> deed) { when_complete_ = std::move(deed); }

  /// Calls this when the program says that the job may grow, for the first time.
  void when_it_may_grow(std::function<void()> deed) { when_it_may_grow_ = std::move(deed); }
  void grow() override {
    ForwardingExchange::grow();
    if (when_it_may_grow_) std::exchange(when_it_may_grow_, nullptr)();
  }

  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    return first_leg([&] { return ForwardingExchange::exchange(std::move(outgoing)); });
  }
  std::vector<Bytes> last_exchange(std::vector<Bytes> outgoing) override {
    return first_leg([&] { return ForwardingExchange::last_exchange(std::move(outgoing)); });
  }
  std::vector<Bytes> exchange_meanwhile(std::vector<Bytes> outgoing, const Work& work) override {
    return first_leg([&] {
      return inner().exchange_meanwhile(std::move(outgoing), [&] {
        in_call_.store(false, std::memory_order_relaxed);
        work();
        in_call_.store(true, std::memory_order_relaxed);
      });
    });
  }
  std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources) override {
    const InCall in_call(*this);
    return ForwardingExchange::reply(std::move(outgoing), destinations, sources);
  }

  std::vector<Bytes> receive_early(const std::vector<Rank>& sources) override {
    const InCall in_call(*this);
    return ForwardingExchange::receive_early(sources);
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
  std::span<const std::span<const std::byte>> exchange(std::span<const std::size_t> lengths, bool last,
                                                       const Deed& meanwhile) override {
    return first_leg([&] { return ForwardingExchange::exchange(lengths, last, meanwhile); });
  }
  std::span<const std::span<const std::byte>> exchange_alike(Alike message, const Deed& meanwhile) override {
    return first_leg([&] { return ForwardingExchange::exchange_alike(message, meanwhile); });
  }
  void settle(Leg which, std::span<const Rank> owners, std::span<const Rank> readers) override {
    const InCall in_call(*this);
    ForwardingExchange::settle(which, owners, readers);
  }

  /// In a call that needs the other ranks, however it ends.
  class InCall {
   public:
    explicit InCall(ObservedExchange& of) : of_(of) {
      if (of_.forks_.is_child())
        of_.forks_.end_child(of_.rank(), "called sync(), or another call for all ranks");
      of_.in_call_.store(true, std::memory_order_relaxed);
    }
    InCall(const InCall&) = delete;
    InCall& operator=(const InCall&) = delete;
    ~InCall() { of_.in_call_.store(false, std::memory_order_relaxed); }

   private:
    ObservedExchange& of_;
  };

  template <class Call>
  std::invoke_result_t<Call> first_leg(Call call) {
    const InCall in_call(*this);
    auto incoming = call();
    // One thread counts. An atomic addition would wait until all that this processor has stored is through.
    supersteps_.store(supersteps() + 1, std::memory_order_relaxed);
    if (when_complete_) std::exchange(when_complete_, nullptr)();
    return incoming;
  }

  OnAbort on_abort_;
  Forks forks_;
  std::function<void()> when_complete_;
  std::function<void()> when_it_may_grow_;
  std::atomic<std::uint64_t> supersteps_ = 0;
  std::atomic<std::uint64_t> before_world_ = 0;
  std::atomic<std::uint32_t> epoch_ = 0;
  std::atomic<bool> in_call_ = false;
  std::atomic<bool> aborted_here_ = false;
};

}  // namespace lbsp::job::member
