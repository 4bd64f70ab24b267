#include "transport/simulated/simulated_job.hpp"

#include <system_error>
#include <thread>

#include "transport/error.hpp"
#include "transport/exchange_arguments.hpp"
#include "transport/simulated/scheduler.hpp"

namespace lbsp::transport {
namespace {

class RankExchange final : public SimulatedExchange {
 public:
  RankExchange(VirtualScheduler& scheduler, Rank rank, Rank size)
      : scheduler_(scheduler), rank_(rank), size_(size) {}

  Rank rank() const noexcept override { return rank_; }
  Rank size() const noexcept override { return size_; }

  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override {
    check_outgoing(outgoing, size_);
    return scheduler_.call(rank_, {RankCall::Kind::exchange, std::move(outgoing), {}, {}});
  }

  std::vector<Bytes> last_exchange(std::vector<Bytes> outgoing) override {
    check_outgoing(outgoing, size_);
    return scheduler_.call(rank_, {RankCall::Kind::last_exchange, std::move(outgoing), {}, {}});
  }

  std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources) override {
    check_outgoing(outgoing, size_);
    check_ranks(destinations, rank_, size_);
    check_ranks(sources, rank_, size_);
    return scheduler_.call(rank_, {RankCall::Kind::reply, std::move(outgoing), destinations, sources});
  }

  void finish() override { scheduler_.call(rank_, {RankCall::Kind::finish, {}, {}, {}}); }
  void abort(std::string_view reason) noexcept override { scheduler_.abort(rank_, reason); }
  TrafficCounters counters() const override { return scheduler_.snapshot(rank_).counters; }
  NetworkMeasure network() const override { return scheduler_.snapshot(rank_).network; }
  Forecast forecast() const override { return scheduler_.snapshot(rank_).forecast; }
  Instant now() const override { return scheduler_.now(); }

 private:
  VirtualScheduler& scheduler_;
  Rank rank_;
  Rank size_;
};

}  // namespace

void SimulatedJobOutcome::rethrow_first_error() const {
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

SimulatedJobOutcome run_simulated(const SimulatedJobConfig& config,
                                  const std::function<void(SimulatedExchange&)>& program) {
  SimulatedNetwork network(config.network);
  const auto start = network.now();
  const Rank size = network.size();
  SimulatedJobOutcome outcome;
  outcome.errors.resize(static_cast<std::size_t>(size));
  VirtualScheduler scheduler(network, start + config.time_bound);

  const auto run_rank = [&](Rank rank) {
    try {
      RankExchange exchange(scheduler, rank, size);
      program(exchange);
    } catch (...) {
      outcome.errors[static_cast<std::size_t>(rank)] = std::current_exception();
    }
    scheduler.end(rank);
  };
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(size));
  for (Rank rank = 0; rank < size; ++rank) {
    try {
      threads.emplace_back(run_rank, rank);
    } catch (const std::system_error&) {
      outcome.errors[static_cast<std::size_t>(rank)] = std::make_exception_ptr(
          SystemError("no thread for a simulated rank: simulate fewer ranks or raise the limit of threads"));
      scheduler.end(rank);
    }
  }
  scheduler.run();
  for (auto& thread : threads)
    thread.join();

  outcome.elapsed = network.now() - start;
  outcome.deliveries = network.deliveries();
  outcome.trace_hash = network.trace_hash();
  return outcome;
}

}  // namespace lbsp::transport
