#include "transport/shared_memory/segment.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "transport/error.hpp"

namespace lbsp::transport::shared_memory {
namespace {

constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t message_alignment = 16;
/// Half of what x86-64 gives a process.
constexpr std::uint64_t most_mapped_bytes = std::uint64_t{1} << 46;
/// The board then has 528 MiB, if all pairs speak.
constexpr Rank most_seats = 1024;
/// Rooms grow by at most so much more than they must.
constexpr std::uint64_t longest_stride = std::uint64_t{16} << 20;
constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

constexpr std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

[[noreturn]] void refuse(const char* what) {
  throw SystemError(
      fmt::format("no shared memory for the ranks of this host ({}: {}): use --shared-memory off", what,
                  std::strerror(errno)));
}

}  // namespace

Geometry Geometry::of(Rank seats, std::uint64_t message_bytes) {
  return {seats, whole_pages(std::clamp<std::uint64_t>(message_bytes, 1, most_mapped_bytes))};
}

std::uint64_t Geometry::board_bytes() const {
  return whole_pages(Board::bytes(seats));
}

std::uint64_t Geometry::room_offset(Rank from, Rank to, Slot slot) const {
  const std::uint64_t pair =
      static_cast<std::uint64_t>(from) * static_cast<std::uint64_t>(seats) + static_cast<std::uint64_t>(to);
  return board_bytes() + (pair * room_slots + static_cast<std::uint64_t>(slot)) * room_bytes;
}

bool Geometry::possible() const {
  const std::uint64_t rooms = 2 * room_slots * static_cast<std::uint64_t>(seats);
  return seats <= most_seats && room_bytes <= most_mapped_bytes / rooms;
}

SegmentFile::~SegmentFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

SegmentFile SegmentFile::create(const Geometry& geometry) {
  SegmentFile file(::memfd_create("lbsp", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (file.descriptor_ < 0) refuse("memfd_create");
  if (::ftruncate(file.descriptor_, static_cast<off_t>(geometry.file_bytes())) != 0) refuse("ftruncate");
  if (::fcntl(file.descriptor_, F_ADD_SEALS, seals) != 0) refuse("seals");
  return file;
}

SegmentFile SegmentFile::again() const {
  SegmentFile file(::fcntl(descriptor_, F_DUPFD_CLOEXEC, 0));
  if (file.descriptor_ < 0) refuse("another descriptor");
  return file;
}

void SegmentFile::check(const Geometry& geometry) const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) refuse("fstat");
  const bool sealed = (::fcntl(descriptor_, F_GET_SEALS) & seals) == seals;
  if (sealed && static_cast<std::uint64_t>(status.st_size) == geometry.file_bytes()) return;
  throw SystemError("the memory that the launcher shares is of another size: use the same lbsp everywhere");
}

Mapping::Mapping(const SegmentFile& file, std::uint64_t offset, std::uint64_t bytes, bool writable)
    : memory_(nullptr), bytes_(bytes) {
  void* const memory = ::mmap(nullptr, bytes, writable ? PROT_READ | PROT_WRITE : PROT_READ,
                              MAP_SHARED | MAP_NORESERVE, file.descriptor(), static_cast<off_t>(offset));
  if (memory == MAP_FAILED) refuse("mmap");
  memory_ = static_cast<std::byte*>(memory);
}

Mapping Mapping::of_this_process(std::uint64_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) refuse("mmap");
  return {static_cast<std::byte*>(memory), bytes};
}

Mapping::~Mapping() {
  if (memory_ != nullptr) ::munmap(memory_, bytes_);
}

SegmentMemory::SegmentMemory(SegmentFile file, const Geometry& geometry, Rank self)
    : file_(std::move(file)),
      geometry_(geometry),
      self_(self),
      own_(file_, geometry.room_offset(self, 0, Slot::even),
           geometry.room_offset(self + 1, 0, Slot::even) - geometry.room_offset(self, 0, Slot::even), true),
      committed_(static_cast<std::size_t>(geometry.seats) * room_slots) {
  others_.reserve(static_cast<std::size_t>(geometry.seats));
  for (Rank from = 0; from < geometry.seats; ++from) {
    others_.emplace_back(file_, geometry.room_offset(from, self, Slot::even),
                         room_slots * geometry.room_bytes, false);
  }
}

/// Without this, a write would end the process where there is no memory.
void SegmentMemory::commit(Rank to, Slot slot, std::uint64_t bytes) {
  std::uint64_t& have = committed(to, slot);
  const std::uint64_t offset = geometry_.room_offset(self_, to, slot);
  while (have < bytes) {
    const std::uint64_t stride = std::min(bytes - have, longest_stride);
    if (::fallocate(file_.descriptor(), 0, static_cast<off_t>(offset + have), static_cast<off_t>(stride)) ==
        0) {
      have += stride;
    } else if (errno != EINTR) {
      throw MessageTooLarge(
          fmt::format("no memory for {} bytes of a message to another rank of this host ({}): send less per "
                      "superstep, or use fewer ranks here",
                      bytes, std::strerror(errno)));
    }
  }
}

std::span<std::byte> SegmentMemory::room(Rank to, Slot slot, std::size_t bytes, std::size_t /*used*/) {
  const std::uint64_t have = committed(to, slot);
  if (bytes > have) {
    if (bytes > geometry_.room_bytes) {
      throw MessageTooLarge(fmt::format(
          "more than {} bytes for one other rank in one superstep: send less per superstep, or raise "
          "--max-message",
          geometry_.room_bytes));
    }
    const std::uint64_t ahead = std::min(have / 2, longest_stride);
    commit(to, slot, std::min(whole_pages(bytes + ahead), geometry_.room_bytes));
  }
  std::byte* const memory =
      own_.memory() + (geometry_.room_offset(0, to, slot) - geometry_.room_offset(0, 0, Slot::even));
  return {memory, static_cast<std::size_t>(committed(to, slot))};
}

void SegmentMemory::trim(Rank to, Slot slot, std::size_t bytes) {
  std::uint64_t& have = committed(to, slot);
  const std::uint64_t kept = whole_pages(bytes);
  if (have <= kept) return;
  const std::uint64_t offset = geometry_.room_offset(self_, to, slot) + kept;
  const int punched = ::fallocate(file_.descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                                  static_cast<off_t>(offset), static_cast<off_t>(have - kept));
  if (punched == 0) have = kept;
}

const std::byte* SegmentMemory::find(Rank from, Slot slot, std::uint64_t address, std::uint64_t bytes) const {
  if (bytes > geometry_.room_bytes || address > geometry_.room_bytes - bytes) return nullptr;
  if (address % message_alignment != 0) return nullptr;
  return others_[static_cast<std::size_t>(from)].memory() +
         static_cast<std::size_t>(slot) * geometry_.room_bytes + address;
}

}  // namespace lbsp::transport::shared_memory
