#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "lbsp/carried.hpp"
#include "lbsp/world.hpp"
#include "transport/core/lasting_endpoint.hpp"
#include "transport/error.hpp"
#include "transport/splitmix.hpp"

namespace lbsp::testing {

using transport::Duration;
using transport::Instant;
using transport::LastingEndpoint;
using transport::Slot;

/// A job that goes on without lost ranks, in virtual time: each rank's program runs on a thread of its own, one at a
/// time, while time stands still.
class LastingWorlds {
 public:
  struct Plan {
    Slot size = 4;
    int survive = 1;
    std::vector<std::uint16_t> hosts = {};
    double loss = 0;
    Duration delay = std::chrono::milliseconds{3};
    std::uint64_t seed = 1;
    /// By slot: after how many datagrams its process dies, in the middle of what it has to say; 0: never.
    std::vector<std::uint64_t> dies_after = {};
    bool outlives_ranks = true;
    std::string checkpoint = {};  ///< as in Survival
    std::string restart = {};
  };
  using Program = std::function<void(World&, Slot)>;

  LastingWorlds(Plan plan, Program program)
      : plan_(std::move(plan)), program_(std::move(program)), random_(transport::splitmix(plan_.seed)) {
    transport::EndpointConfig config;
    config.size = plan_.size;
    config.options.outlives_ranks = plan_.outlives_ranks;
    config.options.peer_timeout = std::chrono::milliseconds{300};
    plan_.dies_after.resize(static_cast<std::size_t>(plan_.size));
    for (config.rank = 0; config.rank < plan_.size; ++config.rank)
      processes_.push_back(std::make_unique<Process>(config, now_));
    for (Slot slot = 0; slot < plan_.size; ++slot) {
      of(slot).thread = std::thread([this, slot] { live(slot); });
      give_turn(slot);
    }
  }
  ~LastingWorlds() {
    for (Slot slot = 0; slot < plan_.size; ++slot) {
      kill(slot);
      of(slot).thread.join();
    }
  }
  LastingWorlds(const LastingWorlds&) = delete;
  LastingWorlds& operator=(const LastingWorlds&) = delete;

  /// Until all that live have come to their end. Returns whether they have.
  bool run(Duration most) {
    for (const Instant end = now_ + most; now_ < end && !over(); now_ += std::chrono::milliseconds{1})
      tick();
    return over();
  }

  bool died(Slot slot) const { return of(slot).dead; }
  bool finished(Slot slot) const { return of(slot).finished; }
  /// What its program ended with, if it was not well.
  const std::string& error(Slot slot) const { return of(slot).error; }
  int changes(Slot slot) const { return of(slot).changes; }

 private:
  struct Killed {};
  struct Process {
    Process(const transport::EndpointConfig& config, Instant now) : endpoint(config, {}, now) {}

    LastingEndpoint endpoint;
    std::function<bool(const LastingEndpoint&)> awaited;
    std::deque<std::vector<std::byte>> inbox;
    std::uint64_t sent = 0;
    int changes = 0;
    bool dead = false;
    bool ended = false;  ///< its thread
    bool finished = false;
    std::string error;
    std::thread thread;
  };
  struct Datagram {
    Instant at;
    Slot to;
    std::vector<std::byte> bytes;
  };

  class Waist final : public transport::Exchange {
   public:
    Waist(LastingWorlds& job, Slot slot) : job_(job), slot_(slot) {}

    Rank rank() const noexcept override { return endpoint().rank(); }
    Rank size() const noexcept override { return endpoint().size(); }
    std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
      return leg([&](transport::Endpoint& of_now) { of_now.begin_exchange(std::move(outgoing), job_.now_); });
    }
    std::vector<Bytes> last_exchange(std::vector<Bytes> outgoing) override {
      return leg(
          [&](transport::Endpoint& of_now) { of_now.begin_last_exchange(std::move(outgoing), job_.now_); });
    }
    std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& to,
                             const std::vector<Rank>& from) override {
      return leg(
          [&](transport::Endpoint& of_now) { of_now.begin_reply(std::move(outgoing), to, from, job_.now_); });
    }
    void hold(std::uint64_t boundary) override { endpoint().hold(boundary); }
    void finish() override {
      if (!endpoint().change() && !endpoint().failure()) endpoint().begin_finish(job_.now_);
      job_.wait(slot_, [](const LastingEndpoint& own) { return own.finished(); });
      throw_if_over();
    }
    void abort(std::string_view reason) noexcept override { endpoint().abort(reason, job_.now_); }
    transport::TrafficCounters counters() const override { return endpoint().counters(); }
    transport::NetworkMeasure network() const override { return {}; }

   private:
    LastingEndpoint& endpoint() const { return job_.of(slot_).endpoint; }
    template <class Begin>
    std::vector<Bytes> leg(Begin begin) {
      if (!endpoint().change() && !endpoint().failure()) endpoint().begin(begin, job_.now_);
      job_.wait(slot_, [](const LastingEndpoint& own) { return own.exchange_complete(); });
      throw_if_over();
      return endpoint().take_messages();
    }
    void throw_if_over() {
      if (endpoint().failure()) throw_failure(*endpoint().failure());
      if (endpoint().change()) throw WorldChanged(endpoint().take_change());
    }

    LastingWorlds& job_;
    Slot slot_;
  };

  Process& of(Slot slot) { return *processes_[static_cast<std::size_t>(slot)]; }
  const Process& of(Slot slot) const { return *processes_[static_cast<std::size_t>(slot)]; }
  bool over() const {
    for (Slot slot = 0; slot < plan_.size; ++slot)
      if (!of(slot).dead && !of(slot).ended) return false;
    return true;
  }

  // On a process's thread.

  void live(Slot slot) {
    try {
      pass_turn(slot);
      Waist waist(*this, slot);
      Carried carried({.outlives_ranks = plan_.outlives_ranks,
                       .hosts_at_once = plan_.survive,
                       .hosts = plan_.hosts,
                       .checkpoint = plan_.checkpoint,
                       .restart = plan_.restart});
      while (!live_in_world(slot, waist, carried))
        ++of(slot).changes;
      of(slot).finished = true;
    } catch (const Killed&) {
      // Without a word.
    } catch (const std::exception& error) {
      of(slot).error = error.what();
      of(slot).endpoint.abort(error.what(), now_);
    }
    const std::lock_guard lock(mutex_);
    of(slot).ended = true;
    turn_ = nobody;
    turned_.notify_all();
  }
  bool live_in_world(Slot slot, Waist& waist, Carried& carried) {
    try {
      World world(waist, carried);
      program_(world, slot);
      carried.require_kept();
      world.finish();
      return true;
    } catch (const WorldChanged& changed) {
      carried.change_to(changed.change());
      return false;
    }
  }
  void wait(Slot slot, std::function<bool(const LastingEndpoint&)> done) {
    of(slot).awaited = std::move(done);
    {
      const std::lock_guard lock(mutex_);
      turn_ = nobody;
      turned_.notify_all();
    }
    pass_turn(slot);
  }
  void pass_turn(Slot slot) {
    std::unique_lock lock(mutex_);
    turned_.wait(lock, [&] { return turn_ == slot; });
    if (of(slot).dead) throw Killed{};
  }

  // On the test's thread.

  void give_turn(Slot slot) {
    std::unique_lock lock(mutex_);
    if (of(slot).ended) return;
    turn_ = slot;
    turned_.notify_all();
    turned_.wait(lock, [&] { return turn_ == nobody; });
  }
  void kill(Slot slot) {
    of(slot).dead = of(slot).dead || !of(slot).ended;
    give_turn(slot);
  }

  void tick() {
    for (; !datagrams_.empty() && datagrams_.front().at <= now_; datagrams_.pop_front())
      of(datagrams_.front().to).inbox.push_back(std::move(datagrams_.front().bytes));
    for (Slot slot = 0; slot < plan_.size; ++slot) {
      if (of(slot).dead) continue;
      for (std::vector<std::byte>& bytes : of(slot).inbox)
        of(slot).endpoint.handle_datagram(bytes, now_);
      of(slot).inbox.clear();
      work(slot);
    }
  }
  void work(Slot slot) {
    Process& process = of(slot);
    if (process.endpoint.next_timeout() <= now_) process.endpoint.handle_timeout(now_);
    const bool over = process.endpoint.failure() || process.endpoint.change();
    if (!process.ended && (over || process.awaited(process.endpoint))) give_turn(slot);
    send(slot);
  }
  void send(Slot slot) {
    Process& process = of(slot);
    std::vector<std::byte> buffer(transport::ExchangeOptions{}.datagram_bytes);
    const std::uint64_t last = plan_.dies_after[static_cast<std::size_t>(slot)];
    while (const auto transmit = process.endpoint.poll_transmit(buffer, now_)) {
      const bool lost = static_cast<double>(random_() >> 11) * 0x1p-53 < plan_.loss;
      const auto end = buffer.begin() + static_cast<std::ptrdiff_t>(transmit->bytes);
      if (!lost) datagrams_.push_back({now_ + plan_.delay, transmit->to, {buffer.begin(), end}});
      if (++process.sent == last && !process.ended) return kill(slot);
    }
  }

  static constexpr Slot nobody = -1;

  Plan plan_;
  Program program_;
  Instant now_{std::chrono::seconds{1}};
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::deque<Datagram> datagrams_;
  std::mutex mutex_;
  std::condition_variable turned_;
  Slot turn_ = nobody;
};

}  // namespace lbsp::testing
