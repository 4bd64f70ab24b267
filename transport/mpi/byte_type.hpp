#pragma once

#include <cstddef>
#include <mpi.h>

namespace lbsp::transport {

/// An MPI datatype for a message of any length. MPI's counts are ints, and messages may be longer than 2 GiB.
class ByteType {
 public:
  explicit ByteType(std::size_t bytes);
  ByteType(const ByteType&) = delete;
  ByteType& operator=(const ByteType&) = delete;
  ~ByteType();

  /// Send or receive count() elements of this type.
  MPI_Datatype type() const { return type_; }
  int count() const { return count_; }

 private:
  MPI_Datatype type_ = MPI_BYTE;
  int count_ = 0;
};

}  // namespace lbsp::transport
