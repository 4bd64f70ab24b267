#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/shared_memory/board.hpp"

namespace lbsp::transport::shared_memory {

/// How one rank copies from the memory of the other ranks of its host, wherever in their processes that lies.
class Reach {
 public:
  Reach() = default;
  Reach(const Reach&) = delete;
  Reach& operator=(const Reach&) = delete;
  virtual ~Reach() = default;

  /// Whether this rank can copy from those ranks, which have all sent it a message.
  virtual bool try_all(std::span<const Rank> others) const = 0;
  /// Whether it is the system that copies.
  virtual bool takes_a_call() const = 0;
  /// Returns 0, or the reason why there is nothing to be had: ESRCH if the process has ended, or EFAULT, EPERM.
  virtual int copy(Rank from, std::uint64_t address, std::span<std::byte> into) const = 0;
};

/// For ranks that are threads of one process.
class SameProcess final : public Reach {
 public:
  bool try_all(std::span<const Rank> others) const override;
  bool takes_a_call() const override { return false; }
  int copy(Rank from, std::uint64_t address, std::span<std::byte> into) const override;
};

/// For ranks that are processes. The system copies in one go (process_vm_readv), where it lets one process read
/// another's memory. Not so, for example, if they run under different users, or under Yama not by one launcher.
class OtherProcesses final : public Reach {
 public:
  /// Says on the board which process this rank is. `board` must outlive this.
  OtherProcesses(Board board, Rank self);

  bool try_all(std::span<const Rank> others) const override;
  bool takes_a_call() const override { return true; }
  int copy(Rank from, std::uint64_t address, std::span<std::byte> into) const override;

 private:
  Board board_;
  Proof proof_;
};

}  // namespace lbsp::transport::shared_memory
