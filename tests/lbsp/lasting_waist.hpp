#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "tests/lbsp/lasting_worlds.hpp"
#include "transport/error.hpp"

namespace lbsp::lasting {

/// What a process of the job exchanges by: its endpoint, whose time passes for all of them together.
class LastingWorlds::Waist final : public transport::Exchange {
 public:
  Waist(LastingWorlds& job, LastingProcess& process) : job_(job), process_(process) {}

  Rank rank() const noexcept override { return endpoint().world().rank(); }
  Rank size() const noexcept override { return endpoint().world().size(); }
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    return leg([&](transport::Endpoint& of_now) { begin_first(of_now, std::move(outgoing)); });
  }
  std::vector<Bytes> last_exchange(std::vector<Bytes> outgoing) override {
    return leg(
        [&](transport::Endpoint& of_now) { of_now.begin_last_exchange(std::move(outgoing), job_.now_); });
  }
  std::vector<Bytes> exchange_meanwhile(std::vector<Bytes> outgoing, const Work& work) override {
    return leg([&](transport::Endpoint& of_now) { begin_first(of_now, std::move(outgoing)); }, work);
  }
  std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& to,
                           const std::vector<Rank>& from) override {
    return leg(
        [&](transport::Endpoint& of_now) { of_now.begin_reply(std::move(outgoing), to, from, job_.now_); });
  }
  std::uint32_t most_early() const noexcept override { return transport::most_early; }
  void send_early(transport::EarlyMessages messages) override { early_ = std::move(messages); }
  std::vector<Bytes> receive_early(const std::vector<Rank>& sources) override {
    if (!endpoint().change() && !endpoint().failure()) endpoint().begin_early(sources, job_.now_);
    return messages_of_leg();
  }
  void hold(std::uint64_t boundary) override { endpoint().hold(boundary); }
  void grow() override { endpoint().grow(); }
  void finish() override {
    if (!endpoint().change() && !endpoint().failure()) endpoint().begin_finish(job_.now_);
    job_.wait(process_, [](const LastingEndpoint& own) { return own.finished(); });
    throw_if_over();
  }
  void abort(std::string_view reason) noexcept override { endpoint().abort(reason, job_.now_); }
  transport::TrafficCounters counters() const override { return endpoint().world().counters(); }
  transport::NetworkMeasure network() const override { return {}; }

 private:
  LastingEndpoint& endpoint() const { return *process_.endpoint; }
  template <class Begin>
  std::vector<Bytes> leg(
      Begin begin, const Work& meanwhile = [] {}) {
    if (!endpoint().change() && !endpoint().failure()) endpoint().begin(begin, job_.now_);
    meanwhile();
    return messages_of_leg();
  }
  void begin_first(transport::Endpoint& of_now, std::vector<Bytes> outgoing) {
    of_now.begin_exchange(std::move(outgoing), job_.now_);
    transport::EarlyMessages early = std::exchange(early_, {});
    if (!early.destinations.empty()) of_now.send_early(std::move(early));
  }
  std::vector<Bytes> messages_of_leg() {
    job_.wait(process_, [](const LastingEndpoint& own) { return own.exchange_complete(); });
    throw_if_over();
    return endpoint().take_messages();
  }
  void throw_if_over() {
    if (endpoint().failure()) throw_failure(*endpoint().failure());
    if (endpoint().change()) throw WorldChanged(endpoint().take_change());
  }

  LastingWorlds& job_;
  LastingProcess& process_;
  transport::EarlyMessages early_;
};

}  // namespace lbsp::lasting
