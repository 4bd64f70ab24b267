#include "tools/wan/router/counters.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <sys/mman.h>
#include <sys/stat.h>
#include <utility>

#include "tools/uv/descriptors.hpp"
#include "transport/error.hpp"

namespace lbsp::wan::router {
namespace {

// Cache lines of their own for the router's.
constexpr std::size_t pairs_offset = 256;
static_assert(sizeof(RouterCounters) <= pairs_offset);

[[noreturn]] void fail(const std::filesystem::path& path) {
  throw SystemError(fmt::format("{}: {}: end the bed with lbsp wan down and begin anew", path.string(),
                                std::strerror(errno)));
}

void* map(const std::filesystem::path& path, int file, std::size_t bytes, int protection) {
  void* memory = ::mmap(nullptr, bytes, protection, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) fail(path);
  return memory;
}

}  // namespace

void PairCounters::add(const transport::ImpairmentCounters& more) {
  too_long.add(more.too_long);
  lost.add(more.lost);
  queue_drops.add(more.queue_drops);
  reordered.add(more.reordered);
  duplicated.add(more.duplicated);
  corrupted.add(more.corrupted);
}

std::size_t CounterFile::bytes(int hosts) {
  return pairs_offset +
         static_cast<std::size_t>(hosts) * static_cast<std::size_t>(hosts) * sizeof(PairCounters);
}

PairCounters* CounterFile::pairs() const {
  return reinterpret_cast<PairCounters*>(static_cast<std::byte*>(memory_) + pairs_offset);
}

CounterFile CounterFile::create(const std::filesystem::path& path, int hosts) {
  const uv::Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.get() < 0 || ::ftruncate(file.get(), static_cast<off_t>(bytes(hosts))) != 0) fail(path);
  CounterFile counters(map(path, file.get(), bytes(hosts), PROT_READ | PROT_WRITE), hosts);
  new (counters.memory_) RouterCounters;
  std::uninitialized_value_construct_n(counters.pairs(),
                                       static_cast<std::size_t>(hosts) * static_cast<std::size_t>(hosts));
  return counters;
}

CounterFile CounterFile::open(const std::filesystem::path& path, int hosts) {
  const uv::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) fail(path);
  if (static_cast<std::size_t>(status.st_size) != bytes(hosts)) {
    throw SystemError(fmt::format("{}: {} bytes, not {}: it is of another version of lbsp: use that one",
                                  path.string(), status.st_size, bytes(hosts)));
  }
  return {map(path, file.get(), bytes(hosts), PROT_READ), hosts};
}

CounterFile::CounterFile(CounterFile&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), hosts_(other.hosts_) {}

CounterFile::~CounterFile() {
  if (memory_ != nullptr) ::munmap(memory_, bytes(hosts_));
}

}  // namespace lbsp::wan::router
