#include "tests/support/message_counts.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "lbsp/superstep/messages/layout.hpp"
#include "transport/simulated/simulated_job.hpp"

namespace lbsp::test {
namespace {

using lbsp::Bytes;
using transport::Exchange;

/// Passes everything on, and notes what goes to the other ranks.
class CountingExchange final : public Exchange {
 public:
  explicit CountingExchange(Exchange& below) : below_(below) {}

  Rank rank() const noexcept override { return below_.rank(); }
  Rank size() const noexcept override { return below_.size(); }

  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    MessageCounts counts;
    for (Rank to = 0; to < size(); ++to) {
      if (to != rank()) note(outgoing[static_cast<std::size_t>(to)], counts);
    }
    counts.most_from_one_rank = counts.with_data;
    supersteps_.push_back(counts);
    return below_.exchange(std::move(outgoing));
  }
  std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources) override {
    return below_.reply(std::move(outgoing), destinations, sources);
  }
  void finish() override { below_.finish(); }
  void abort(std::string_view reason) noexcept override { below_.abort(reason); }
  transport::TrafficCounters counters() const override { return below_.counters(); }
  transport::NetworkMeasure network() const override { return below_.network(); }

  const std::vector<MessageCounts>& supersteps() const { return supersteps_; }

 private:
  static void note(const Bytes& message, MessageCounts& counts) {
    superstep::MessageHead head;
    std::memcpy(&head, message.data(), sizeof head);
    ++(head.record_bytes > 0 ? counts.with_data : counts.empty);
    counts.longest = std::max(counts.longest, message.size());
  }

  Exchange& below_;
  std::vector<MessageCounts> supersteps_;
};

void add(const MessageCounts& rank, MessageCounts& job) {
  job.with_data += rank.with_data;
  job.empty += rank.empty;
  job.longest = std::max(job.longest, rank.longest);
  job.most_from_one_rank = std::max(job.most_from_one_rank, rank.most_from_one_rank);
}

}  // namespace

JobCounts count_messages(Rank ranks, std::size_t datagram_bytes, const std::function<void(World&)>& program) {
  transport::SimulatedJobConfig config;
  config.network.size = ranks;
  config.network.wan = transport::parse_wan_spec("rtt=20ms");
  config.network.options.datagram_bytes = datagram_bytes;
  config.network.options.copies = 1;
  JobCounts job;
  std::mutex mutex;
  const auto outcome = transport::run_simulated(config, [&](Exchange& exchange) {
    CountingExchange counting(exchange);
    World world(counting);
    program(world);
    world.finish();
    const std::lock_guard lock(mutex);
    const std::size_t supersteps = counting.supersteps().size() - 1;
    job.supersteps.resize(supersteps);
    for (std::size_t i = 0; i < supersteps; ++i)
      add(counting.supersteps()[i], job.supersteps[i]);
    const transport::TrafficCounters traffic = exchange.counters();
    job.datagrams += traffic.segments_sent - traffic.copies_sent - traffic.segments_resent;
  });
  outcome.rethrow_first_error();
  return job;
}

}  // namespace lbsp::test
