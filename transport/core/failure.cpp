#include "transport/core/failure.hpp"

#include "transport/error.hpp"

namespace lbsp::transport {

void throw_failure(const Failure& failure) {
  switch (failure.kind) {
    case Failure::Kind::peer_lost:
      throw PeerLost(failure.rank, failure.message);
    case Failure::Kind::aborted:
      throw Aborted(failure.message);
    case Failure::Kind::out_of_memory:
      break;
  }
  throw MessageTooLarge(failure.message);
}

}  // namespace lbsp::transport
