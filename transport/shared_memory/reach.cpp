#include "transport/shared_memory/reach.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <random>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "transport/process/address.hpp"

namespace lbsp::transport::shared_memory {
namespace {

Proof random_proof() {
  std::random_device random;
  Proof proof;
  std::ranges::generate(proof, [&] { return static_cast<std::byte>(random()); });
  return proof;
}

}  // namespace

bool SameProcess::try_all(std::span<const Rank> /*others*/) const {
  return true;
}

int SameProcess::copy(Rank /*from*/, std::uint64_t address, std::span<std::byte> into) const {
  std::memcpy(into.data(), memory_at(address), into.size());
  return 0;
}

OtherProcesses::OtherProcesses(Board board, Rank self) : board_(board), proof_(random_proof()) {
  Seat& seat = board_.seat(self);
  seat.process = ::getpid();
  seat.proof_address = address_of(proof_.data());
  seat.proof = proof_;
#ifdef PR_SET_PTRACER
  // Yama lets only ancestors read a process, and whom it names: here the launcher with its other children. A system
  // without Yama knows no such call.
  ::prctl(PR_SET_PTRACER, ::getppid());
#endif
}

bool OtherProcesses::try_all(std::span<const Rank> others) const {
  return std::ranges::all_of(others, [&](Rank other) {
    const Seat& seat = board_.seat(other);
    Proof found{};
    return copy(other, seat.proof_address, found) == 0 && found == seat.proof;
  });
}

int OtherProcesses::copy(Rank from, std::uint64_t address, std::span<std::byte> into) const {
  while (!into.empty()) {
    const iovec here{into.data(), into.size()};
    const iovec there{const_cast<std::byte*>(memory_at(address)), into.size()};
    const ssize_t copied = ::process_vm_readv(board_.seat(from).process, &here, 1, &there, 1, 0);
    if (copied == 0) return EFAULT;
    if (copied < 0) return errno;
    // The system copies up to 2 GiB at once, and less up to the first page that is not there.
    into = into.subspan(static_cast<std::size_t>(copied));
    address += static_cast<std::uint64_t>(copied);
  }
  return 0;
}

}  // namespace lbsp::transport::shared_memory
