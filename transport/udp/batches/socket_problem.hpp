#pragma once

#include <sys/types.h>

namespace lbsp::transport {

/// Throws SystemError for an error that says nothing about one datagram, so that repeating the call would fail for
/// ever. Returns for any other.
void throw_if_unusable(int error);

/// A socket that the program may close without knowing that there is one. What waits for it then waits in vain, and
/// is told of nothing.
class WatchedSocket {
 public:
  explicit WatchedSocket(int socket);
  /// Throws SystemError if the descriptor is closed, or stands for something else by now.
  void throw_if_closed() const;

 private:
  int socket_;
  ino_t number_;
};

}  // namespace lbsp::transport
