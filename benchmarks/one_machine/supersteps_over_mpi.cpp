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
  std::vector<char> out(work.bytes * static_cast<std::size_t>(size));
  std::vector<char> in(out.size());
  char mark = 0;
  const double time = lbsp::benchmark::microseconds_of(work, [&] {
    if (bytes == 0) {
      MPI_Barrier(MPI_COMM_WORLD);
      return;
    }
    ++mark;
    for (std::size_t to = 0; to < out.size(); to += work.bytes)
      out[to] = out[to + work.bytes - 1] = mark;
    MPI_Alltoall(out.data(), bytes, MPI_CHAR, in.data(), bytes, MPI_CHAR, MPI_COMM_WORLD);
    for (std::size_t from = 0; from < in.size(); from += work.bytes) {
      if (in[from] != mark || in[from + work.bytes - 1] != mark) MPI_Abort(MPI_COMM_WORLD, 1);
    }
  });
  if (rank == 0) std::printf("%.3f\n", time);
  MPI_Finalize();
  return 0;
}
