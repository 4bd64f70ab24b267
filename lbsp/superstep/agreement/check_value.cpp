#include "lbsp/superstep/agreement/check_value.hpp"

#include <bit>
#include <cstdlib>
#include <cxxabi.h>
#include <fmt/format.h>
#include <link.h>
#include <map>
#include <memory>
#include <mutex>

namespace lbsp::superstep {
namespace {

/// In a function: names are remembered before main, by initialisers of any order.
struct Names {
  std::mutex mutex;
  std::map<std::uint32_t, std::string> by_check;

  static Names& instance() {
    static Names names;
    return names;
  }
};

struct Search {
  std::uintptr_t address;
  std::uint32_t check = no_check;
};

/// The first object that it is called with is the program itself.
int search_program(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || search.address < begin || search.address - begin >= segment.p_memsz)
      continue;
    search.check = static_cast<std::uint32_t>(search.address - object->dlpi_addr) | function_bit;
  }
  return 1;
}

std::string name_of(const std::type_info& type) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> readable(
      abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), &std::free);
  return readable ? readable.get() : type.name();
}

}  // namespace

std::uint32_t remember(std::string name) {
  const std::uint32_t check = check_of(name);
  Names& names = Names::instance();
  const std::lock_guard lock(names.mutex);
  names.by_check.emplace(check, std::move(name));
  return check;
}

std::uint32_t remember(const std::type_info& operation, const std::type_info& values) {
  return remember(fmt::format("{} of {}", name_of(operation), name_of(values)));
}

std::uint32_t check_of(void (*function)()) {
  Search search{std::bit_cast<std::uintptr_t>(function)};
  ::dl_iterate_phdr(search_program, &search);
  return search.check;
}

std::string check_text(std::uint32_t check) {
  if ((check & function_bit) != 0)
    return fmt::format("the function at {:#x} of the program", check & ~function_bit);
  Names& names = Names::instance();
  const std::lock_guard lock(names.mutex);
  const auto found = names.by_check.find(check);
  return found != names.by_check.end() ? found->second : fmt::format("what has the number {:#x}", check);
}

}  // namespace lbsp::superstep
