#include "tests/support/mpi_backend.hpp"

#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <mpi.h>

#include "transport/mpi/mpi_exchange.hpp"

namespace lbsp::test {
namespace {

constexpr std::uint64_t ceiling = std::uint64_t{1} << 30;

bool under_mpirun() {
  return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
}

class MpiEnvironment final : public testing::Environment {
 public:
  void SetUp() override {
    int provided = 0;
    if (under_mpirun()) MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  }
  void TearDown() override {
    if (under_mpirun()) MPI_Finalize();
  }
};

[[maybe_unused]] const auto* const environment = testing::AddGlobalTestEnvironment(new MpiEnvironment);

void over_mpi(Rank size, const std::function<void(transport::Exchange&)>& program) {
  Rank rank = 0;
  Rank started = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &started);
  ASSERT_LE(size, started) << "start this test program with mpirun -n " << size << " or more";
  MPI_Comm ranks = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &ranks);
  if (ranks == MPI_COMM_NULL) return;
  {
    transport::MpiExchange exchange(ranks, ceiling);
    program(exchange);
  }
  MPI_Comm_free(&ranks);
}

}  // namespace

std::optional<Backend> mpi_backend() {
  if (!under_mpirun()) return std::nullopt;
  return Backend{"mpi", over_mpi};
}

}  // namespace lbsp::test
