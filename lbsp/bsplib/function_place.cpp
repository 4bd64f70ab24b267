#include "lbsp/bsplib/function_place.hpp"

#include <algorithm>
#include <link.h>
#include <sodium.h>
#include <span>
#include <vector>

#include "transport/error.hpp"

namespace lbsp::bsplib {
namespace {

struct Executable {
  std::uintptr_t base = 0;
  std::vector<std::span<const unsigned char>> code;
};

int take_executable(dl_phdr_info* object, std::size_t, void* result) {
  auto& executable = *static_cast<Executable*>(result);
  executable.base = object->dlpi_addr;
  for (const ElfW(Phdr) & segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    executable.code.emplace_back(reinterpret_cast<const unsigned char*>(object->dlpi_addr + segment.p_vaddr),
                                 segment.p_memsz);
  }
  return 1;  // the first object is the program
}

Executable executable() {
  Executable found;
  dl_iterate_phdr(take_executable, &found);
  return found;
}

bool holds(const Executable& executable, std::uintptr_t address) {
  return std::ranges::any_of(executable.code, [&](std::span<const unsigned char> segment) {
    const auto begin = reinterpret_cast<std::uintptr_t>(segment.data());
    return address >= begin && address - begin < segment.size();
  });
}

FunctionPlace place_in(const Executable& executable, std::uint64_t offset) {
  FunctionPlace place{.offset = offset};
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, place.code.size());
  for (const auto segment : executable.code)
    crypto_generichash_update(&state, segment.data(), segment.size());
  crypto_generichash_final(&state, place.code.data(), place.code.size());
  return place;
}

}  // namespace

FunctionPlace place_of(SpmdFunction function) {
  const Executable program = executable();
  const auto address = reinterpret_cast<std::uintptr_t>(function);
  if (!holds(program, address)) {
    throw UsageError(
        "the function of a further SPMD part is in a shared library, where the other processes do not find it: have "
        "the program itself define it");
  }
  return place_in(program, address - program.base);
}

SpmdFunction function_at(const FunctionPlace& place) {
  const Executable program = executable();
  const std::uintptr_t address = program.base + static_cast<std::uintptr_t>(place.offset);
  if (place != place_in(program, place.offset) || !holds(program, address)) {
    throw UsageError(
        "this host has another build of the program than process 0, so that the function of its further SPMD part "
        "cannot be found: copy the same executable to all hosts");
  }
  return reinterpret_cast<SpmdFunction>(address);
}

}  // namespace lbsp::bsplib
