// The same supersteps under mpirun: MPI_Barrier, or MPI_Alltoall.
#include <mpi.h>

#include "benchmarks/one_machine/timing.hpp"

int main(int count, char** words) {
  const lbsp::benchmark::Work work = lbsp::benchmark::work_from(count, words);
  MPI_Init(&count, &words);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const auto bytes = static_cast<int>(work.bytes);
  std::vector<std::byte> out(work.bytes * static_cast<std::size_t>(size));
  std::vector<std::byte> in(out.size());
  unsigned superstep = 0;
  // But for a rank's own part, which lbsp would not send.
  const auto each_part = [&](std::vector<std::byte>& parts, auto use) {
    for (int other = 0; other < size; ++other) {
      if (other != rank)
        use(std::span(parts).subspan(static_cast<std::size_t>(other) * work.bytes, work.bytes));
    }
  };
  const double time = lbsp::benchmark::microseconds_of(work, [&] {
    if (bytes == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
      return;
    }
    const auto mark = static_cast<std::byte>(++superstep);
    each_part(out, [&](auto part) { lbsp::benchmark::write_values(work, part, mark); });
    MPI_Alltoall(out.data(), bytes, MPI_CHAR, in.data(), bytes, MPI_CHAR, MPI_COMM_WORLD);
    each_part(in, [&](auto part) {
      if (!lbsp::benchmark::has_values(work, part, mark)) MPI_Abort(MPI_COMM_WORLD, 1);
    });
  });
  if (rank == 0) std::printf("%.3f\n", time);
  MPI_Finalize();
  return 0;
}
