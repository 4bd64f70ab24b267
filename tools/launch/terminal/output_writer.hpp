#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "tools/uv/events.hpp"

namespace lbsp::launch::terminal {

/// Writes to this process's standard output and error on a thread of its own, so that a reader who takes his
/// time (a pager, a full pipe) never keeps the launcher from its ranks, and so that the descriptors, which
/// other processes share, keep their blocking mode.
class OutputWriter {
 public:
  /// `on_progress` comes on the loop's thread after writes have ended, well or not.
  OutputWriter(uv::Loop& loop, std::function<void()> on_progress);
  OutputWriter(const OutputWriter&) = delete;
  OutputWriter& operator=(const OutputWriter&) = delete;
  /// What is not written by now is lost.
  ~OutputWriter();

  void write(int descriptor, std::string bytes);

  /// Bytes that wait.
  std::size_t queued() const;
  /// The errno with which a descriptor refused to take any more, or 0. What comes for it then is dropped.
  int problem(int descriptor) const;
  /// The descriptors are other files now.
  void forget_problems();
  /// Bytes that no descriptor took.
  std::uint64_t lost() const;
  void forget_loss();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  uv::Wake wake_;
};

}  // namespace lbsp::launch::terminal
