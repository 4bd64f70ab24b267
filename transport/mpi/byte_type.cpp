#include "transport/mpi/byte_type.hpp"

#include <climits>

namespace lbsp::transport {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 30;

/// Whole chunks, and what is left behind them, as one type.
MPI_Datatype long_type(std::size_t bytes) {
  const int chunks = static_cast<int>(bytes / chunk_bytes);
  const int rest = static_cast<int>(bytes % chunk_bytes);
  MPI_Datatype chunk = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(chunk_bytes), MPI_BYTE, &chunk);
  const int lengths[] = {chunks, rest};
  const MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes - static_cast<std::size_t>(rest))};
  const MPI_Datatype types[] = {chunk, MPI_BYTE};
  MPI_Datatype whole = MPI_DATATYPE_NULL;
  MPI_Type_create_struct(2, lengths, places, types, &whole);
  MPI_Type_commit(&whole);
  MPI_Type_free(&chunk);
  return whole;
}

}  // namespace

ByteType::ByteType(std::size_t bytes) {
  if (bytes <= static_cast<std::size_t>(INT_MAX)) {
    count_ = static_cast<int>(bytes);
  } else {
    type_ = long_type(bytes);
    count_ = 1;
  }
}

ByteType::~ByteType() {
  if (type_ != MPI_BYTE) MPI_Type_free(&type_);
}

}  // namespace lbsp::transport
