#include "transport/mpi/mpi_exchange.hpp"

#include "transport/exchange_arguments.hpp"
#include "transport/leg.hpp"
#include "transport/mpi/byte_type.hpp"

namespace lbsp::transport {
namespace {

/// A rank is at most one superstep ahead of another, so that a few tags tell the legs apart. MPI allows every
/// tag up to 32767.
constexpr std::uint64_t tags = 1024;

int tag_of(std::uint64_t superstep, Leg leg) {
  return static_cast<int>((legs_of_superstep * superstep + static_cast<std::uint64_t>(leg)) % tags);
}

void wait_for(std::vector<MPI_Request>& requests) {
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

MpiExchange::MpiExchange(MPI_Comm communicator, std::uint64_t max_message_bytes)
    : max_message_bytes_(max_message_bytes) {
  MPI_Comm_dup(communicator, &communicator_);
  MPI_Comm_rank(communicator_, &rank_);
  MPI_Comm_size(communicator_, &size_);
  // A rank's first send is to its successor, so that no receiver is hit by all senders at once.
  for (Rank i = 1; i < size_; ++i)
    others_.push_back((rank_ + i) % size_);
}

MpiExchange::~MpiExchange() {
  MPI_Comm_free(&communicator_);
}

std::vector<Bytes> MpiExchange::exchange(std::vector<Bytes> outgoing) {
  check_outgoing(outgoing, size_);
  check_sizes(outgoing, others_);
  auto incoming = transfer(outgoing, others_, others_, tag_of(supersteps_, Leg::messages));
  ++supersteps_;
  return incoming;
}

std::vector<Bytes> MpiExchange::reply(std::vector<Bytes> outgoing, const std::vector<Rank>& destinations,
                                      const std::vector<Rank>& sources) {
  check_outgoing(outgoing, size_);
  check_ranks(destinations, rank_, size_);
  check_ranks(sources, rank_, size_);
  check_sizes(outgoing, destinations);
  return transfer(outgoing, destinations, sources, tag_of(supersteps_ - 1, Leg::replies));
}

void MpiExchange::check_sizes(const std::vector<Bytes>& outgoing,
                              const std::vector<Rank>& destinations) const {
  for (const Rank to : destinations)
    check_message(to, outgoing[static_cast<std::size_t>(to)].size());
}

void MpiExchange::check_message(Rank to, std::size_t bytes) const {
  if (bytes > max_message_bytes_) refuse_message(rank_, to, bytes, supersteps_, max_message_bytes_);
}

std::vector<Bytes> MpiExchange::transfer(const std::vector<Bytes>& outgoing,
                                         const std::vector<Rank>& destinations,
                                         const std::vector<Rank>& sources, int tag) {
  std::vector<MPI_Request> sends;
  for (const Rank to : destinations) {
    const Bytes& message = outgoing[static_cast<std::size_t>(to)];
    const ByteType bytes(message.size());
    MPI_Isend(message.data(), bytes.count(), bytes.type(), to, tag, communicator_, &sends.emplace_back());
    counters_.payload_bytes_sent += message.size();
  }
  std::vector<Bytes> incoming(static_cast<std::size_t>(size_));
  std::vector<MPI_Request> receives;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    MPI_Message arrived = MPI_MESSAGE_NULL;
    MPI_Status status{};
    MPI_Mprobe(MPI_ANY_SOURCE, tag, communicator_, &arrived, &status);
    MPI_Count length = 0;
    MPI_Get_elements_x(&status, MPI_BYTE, &length);
    Bytes& message = incoming[static_cast<std::size_t>(status.MPI_SOURCE)];
    message.resize(static_cast<std::size_t>(length));
    const ByteType bytes(message.size());
    MPI_Imrecv(message.data(), bytes.count(), bytes.type(), &arrived, &receives.emplace_back());
    counters_.payload_bytes_received += message.size();
  }
  wait_for(receives);
  wait_for(sends);
  return incoming;
}

void MpiExchange::abort(std::string_view /*reason*/) noexcept {
  MPI_Abort(communicator_, 1);
}

}  // namespace lbsp::transport
