#include "tools/uv/stream.hpp"

#include <cstring>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::uv {
namespace {

/// A write under way: libuv keeps pointers to the first two members. It may end after its Stream, but not after the
/// loop.
struct Write {
  Write() = default;
  Write(const Write&) = delete;
  Write& operator=(const Write&) = delete;
  ~Write() { ::explicit_bzero(bytes.data(), bytes.size()); }  // it may have been a job's key

  uv_write_t request{};
  std::string bytes;
  std::weak_ptr<const void> stream;  ///< gone with it
  std::function<void(bool)> done;
};

uv_stream_t* as_stream(uv_pipe_t* pipe) {
  return reinterpret_cast<uv_stream_t*>(pipe);
}

}  // namespace

Stream::Stream(Loop& loop, int descriptor) {
  // Of a file libuv takes the descriptor, and ends this process by abort() when it cannot wait for it.
  const uv_handle_type kind = uv_guess_handle(descriptor);
  if (kind != UV_NAMED_PIPE && kind != UV_TCP && kind != UV_TTY) {
    ::close(descriptor);
    throw SystemError(fmt::format("descriptor {} is no pipe: give it one, or a socket", descriptor));
  }
  auto* handle = new uv_pipe_t;
  uv_pipe_init(loop.get(), handle, 0);
  handle->data = this;
  handle_.reset(handle);
  const int status = uv_pipe_open(handle, descriptor);
  if (status != 0) {
    ::close(descriptor);
    throw SystemError(fmt::format("descriptor {} is no pipe: {}", descriptor, uv_strerror(status)));
  }
}

void Stream::read(std::function<void(std::string_view)> on_data, std::function<void()> on_end) {
  on_data_ = std::move(on_data);
  on_end_ = std::move(on_end);
  start_reading();
}

void Stream::start_reading() {
  uv_read_start(
      as_stream(handle_.get()),
      [](uv_handle_t* handle, std::size_t, uv_buf_t* out) {
        auto& buffer = Loop::of(handle->loop).read_buffer();
        *out = uv_buf_init(buffer.data(), static_cast<unsigned>(buffer.size()));
      },
      [](uv_stream_t* stream, ssize_t got, const uv_buf_t* bytes) {
        auto* self = static_cast<Stream*>(stream->data);
        if (got > 0) {
          self->on_data_({bytes->base, static_cast<std::size_t>(got)});
          ::explicit_bzero(bytes->base, static_cast<std::size_t>(got));  // likewise
        }
        if (got < 0) self->end();
      });
}

void Stream::pause() {
  if (handle_ && on_data_) uv_read_stop(as_stream(handle_.get()));
}

void Stream::resume() {
  if (handle_ && on_data_ && !uv_is_active(reinterpret_cast<uv_handle_t*>(handle_.get()))) start_reading();
}

void Stream::write(std::string bytes, std::function<void(bool)> on_written) {
  if (!handle_ || finishing_) {
    if (on_written) on_written(false);
    return;
  }
  auto write = std::make_unique<Write>();
  write->bytes = std::move(bytes);
  write->stream = alive_;
  write->done = [this, on_written = std::move(on_written)](bool written) {
    --writes_;
    if (on_written) on_written(written);
    if (finishing_ && writes_ == 0) close();
  };
  write->request.data = write.get();
  const uv_buf_t piece = uv_buf_init(write->bytes.data(), static_cast<unsigned>(write->bytes.size()));
  ++writes_;
  const int status =
      uv_write(&write->request, as_stream(handle_.get()), &piece, 1, [](uv_write_t* request, int result) {
        const std::unique_ptr<Write> ended(static_cast<Write*>(request->data));
        // What the system has already taken or refused when a stream is closed is not cancelled, and is told later.
        if (result != UV_ECANCELED && !ended->stream.expired()) ended->done(result == 0);
      });
  if (status == 0) {
    static_cast<void>(write.release());  // the callback has it now
  } else {
    write->done(false);
  }
}

std::size_t Stream::queued() const {
  return handle_ ? uv_stream_get_write_queue_size(reinterpret_cast<const uv_stream_t*>(handle_.get())) : 0;
}

void Stream::finish() {
  finishing_ = true;
  if (writes_ == 0) close();
}

void Stream::close() {
  if (!handle_) return;
  handle_.reset();
  end();
}

void Stream::end() {
  if (handle_) uv_read_stop(as_stream(handle_.get()));
  if (const auto call = std::exchange(on_end_, nullptr)) call();
}

}  // namespace lbsp::uv
