#pragma once

#include <fmt/format.h>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::transport {

/// Throws SystemError, which says what it was for, if the system gives no thread.
template <class Body>
std::thread start_thread(std::string_view purpose, Body body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error&) {
    throw SystemError(
        fmt::format("no thread for {}: raise the limits of threads and memory (ulimit -u, -v)", purpose));
  }
}

}  // namespace lbsp::transport
