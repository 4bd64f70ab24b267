#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "mesh.hpp"
#include "stream_library.hpp"

namespace lbsp::benchmark {

/// One connection per pair of ranks, and one loop that sends to all and receives from all at the same time.
class StreamMesh : public Mesh {
 public:
  /// Connects all ranks. Throws SystemError, also after 60 s without all of them.
  StreamMesh(std::unique_ptr<StreamLibrary> library, const Place& place);
  StreamMesh(const StreamMesh&) = delete;
  StreamMesh& operator=(const StreamMesh&) = delete;
  /// Waits, at most 60 s, until the others have what was sent to them.
  ~StreamMesh() override;

  void exchange(std::span<const std::byte> message, std::vector<std::vector<std::byte>>& received) override;

 private:
  using Deadline = std::chrono::steady_clock::time_point;

  void connect_to_lower(const Place& place, Deadline deadline);
  void accept_from_higher(int listener, const Place& place, Deadline deadline);
  std::optional<std::size_t> name_of(int socket);
  bool move(std::size_t peer, std::span<const std::byte> message, std::span<std::byte> received);
  void watch(std::size_t peer, Interest now);

  struct Connection {
    int socket = -1;  ///< negative for this rank's own
    Interest watched = {};
    std::size_t sent = 0;  ///< of the superstep's message
    std::size_t got = 0;
  };

  std::unique_ptr<StreamLibrary> library_;
  std::vector<Connection> connections_;  ///< by rank
};

}  // namespace lbsp::benchmark
