#pragma once

#include <cstddef>
#include <sys/mman.h>

namespace lbsp::transport {

/// Whether this process may have so many more addresses, all in one piece (`ulimit -v`).
inline bool has_address_room(std::size_t bytes) {
  void* const room = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  ::munmap(room, bytes);
  return true;
}

}  // namespace lbsp::transport
