#pragma once

#include <cstdint>
#include <memory>
#include <mpi.h>

#include "transport/exchange.hpp"

namespace lbsp::transport {

/// Supersteps over MPI, as a careful MPI program would do them: for comparison.
///
/// A leg is one nonblocking send to every destination and one matched receive from every source. There is no
/// barrier and no exchange of lengths. Receives are posted in the order in which messages arrive. Unlike in
/// the other backends, a call also waits until its own messages have left, because MPI moves them only inside
/// its calls. That costs nothing where all ranks wait for one another anyway.
///
/// MPI has no peer timeout: its runtime ends the job when a process dies. Errors of MPI itself end the job in
/// MPI's way (MPI_ERRORS_ARE_FATAL).
class MpiExchange final : public Exchange {
 public:
  /// For the ranks of `communicator`, which is duplicated; all of them must make their MpiExchange at the
  /// same time. MPI must be initialised with MPI_THREAD_FUNNELED or more, and must not be finalised before
  /// this is destroyed.
  MpiExchange(MPI_Comm communicator, std::uint64_t max_message_bytes);
  ~MpiExchange() override;

  Rank rank() const noexcept override { return rank_; }
  Rank size() const noexcept override { return size_; }
  void check_message(Rank to, std::size_t bytes) const override;
  std::vector<Bytes> exchange(std::vector<Bytes> outgoing) override;
  std::vector<Bytes> reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                           const std::vector<Rank>& sources) override;
  /// Nothing to do: what was sent has left.
  void finish() override {}
  /// Calls MPI_Abort, which ends this process too.
  void abort(std::string_view reason) noexcept override;
  /// MPI does not tell what it put on the network: only payload is counted.
  TrafficCounters counters() const override { return counters_; }
  NetworkMeasure network() const override { return {}; }

 private:
  void check_sizes(const std::vector<Bytes>& outgoing, const std::vector<Rank>& destinations) const;
  std::vector<Bytes> transfer(const std::vector<Bytes>& outgoing, const std::vector<Rank>& destinations,
                              const std::vector<Rank>& sources, int tag);

  MPI_Comm communicator_ = MPI_COMM_NULL;
  std::uint64_t max_message_bytes_;
  Rank rank_ = 0;
  Rank size_ = 1;
  std::vector<Rank> others_;
  std::uint64_t supersteps_ = 0;
  TrafficCounters counters_;
};

}  // namespace lbsp::transport
