#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "lbsp/job/channel.hpp"

namespace lbsp::job {

/// JSON takes memory even while it is given back, so that std::bad_alloc would not get out of it. While a thread has
/// one of these, memory that runs out in it ends the process with exit code 1: by the LastWord of a rank, or else by a
/// line on standard error. Make it before the JSON of a message.
class MemoryEnd {
 public:
  MemoryEnd();
  MemoryEnd(const MemoryEnd&) = delete;
  MemoryEnd& operator=(const MemoryEnd&) = delete;
  ~MemoryEnd();
};

/// What a rank tells its launcher where there is no memory to tell anything else. While this lives any thread of the
/// process can say it. One at a time.
class LastWord {
 public:
  /// The channel must outlive it.
  explicit LastWord(const Channel& channel);
  LastWord(const LastWord&) = delete;
  LastWord& operator=(const LastWord&) = delete;
  ~LastWord();

  /// This thread is the rank in that place of the process: 0, if it does not say so.
  static void speak_as(std::uint16_t place) noexcept;
  /// Tells the launcher as a failure that memory ran out, or without a LastWord the user on standard error, and ends
  /// the process with exit code 1. Takes no memory.
  [[noreturn]] static void say() noexcept;

 private:
  const Channel& channel_;
  std::string frame_;
};

}  // namespace lbsp::job
