// lbsp_mpi.so: what stands between MpiSession and MPI.
#include <mpi.h>
#include <vector>

#include "transport/mpi/mpi_exchange.hpp"
#include "transport/mpi/session.hpp"

namespace lbsp::transport {
namespace {

class Session final : public MpiSession {
 public:
  Session() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~Session() override { MPI_Finalize(); }

  Rank rank() const override { return rank_; }
  Rank size() const override { return size_; }

  std::unique_ptr<Exchange> exchange(std::uint64_t max_message_bytes) override {
    return std::make_unique<MpiExchange>(MPI_COMM_WORLD, max_message_bytes);
  }

  void bring_to_first(std::string_view mine, const std::function<void(std::string_view)>& take) override {
    constexpr int tag = 0;
    if (rank_ != 0) {
      MPI_Send(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, 0, tag, MPI_COMM_WORLD);
      return;
    }
    take(mine);
    for (Rank rank = 1; rank < size_; ++rank) {
      MPI_Status status{};
      int bytes = 0;
      MPI_Probe(rank, tag, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      std::vector<char> theirs(static_cast<std::size_t>(bytes));
      MPI_Recv(theirs.data(), bytes, MPI_BYTE, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      take({theirs.data(), theirs.size()});
    }
  }

 private:
  Rank rank_ = 0;
  Rank size_ = 1;
};

}  // namespace
}  // namespace lbsp::transport

// Named as mpi_session_function says.
extern "C" [[gnu::visibility("default")]] lbsp::transport::MpiSession* lbsp_open_mpi_1() {
  return new lbsp::transport::Session;
}
