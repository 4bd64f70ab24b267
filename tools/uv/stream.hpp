#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tools/uv/loop.hpp"

namespace lbsp::uv {

/// One end of a pipe or of a local socket. The functions given to it may be called until it is destroyed, and
/// must not destroy it.
class Stream {
 public:
  /// Takes the descriptor over. Throws SystemError if it is neither a pipe nor a socket.
  Stream(Loop& loop, int descriptor);

  /// `on_end` is called once: at the end of the data, on an error, or when close() is called.
  void read(std::function<void(std::string_view)> on_data, std::function<void()> on_end);
  /// Leaves what comes to wait in the pipe, so that whoever writes waits too; and takes it again.
  void pause();
  void resume();

  /// Queues the bytes; `on_written`, if given, is told when they are out, or that they cannot be any more.
  void write(std::string bytes, std::function<void(bool written)> on_written = nullptr);
  /// Bytes that are queued.
  std::size_t queued() const;

  /// Closes when all that is queued has been written. No write() after it.
  void finish();
  void close();
  bool closed() const { return handle_ == nullptr; }

 private:
  void start_reading();
  void end();

  Handle<uv_pipe_t> handle_;
  std::function<void(std::string_view)> on_data_;
  std::function<void()> on_end_;
  std::size_t writes_ = 0;
  bool finishing_ = false;
  std::shared_ptr<const void> alive_ = std::make_shared<char>();
};

}  // namespace lbsp::uv
