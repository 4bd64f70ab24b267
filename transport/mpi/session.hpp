#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "transport/exchange.hpp"

namespace lbsp::transport {

/// MPI from MPI_Init to MPI_Finalize, for code that is not linked with it. The library lbsp_mpi.so makes one.
/// A process loads it if it is a rank of `lbsp run --backend mpi`, so no other process needs MPI.
class MpiSession {
 public:
  MpiSession() = default;
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  virtual ~MpiSession() = default;

  virtual Rank rank() const = 0;
  virtual Rank size() const = 0;

  /// Between all ranks. Must be destroyed before the session.
  virtual std::unique_ptr<Exchange> exchange(std::uint64_t max_message_bytes) = 0;

  /// Brings every rank's bytes to rank 0, which gives them to `take`, one rank's after the other. All ranks
  /// call it.
  virtual void bring_to_first(std::string_view mine, const std::function<void(std::string_view)>& take) = 0;
};

/// The function of lbsp_mpi.so that makes the session, once in a process. Raise the number in its name with
/// every change of this class or of Exchange, so that no program takes the library of another version.
inline constexpr const char* mpi_session_function = "lbsp_open_mpi_1";
using OpenMpiSession = MpiSession* (*)();

}  // namespace lbsp::transport
