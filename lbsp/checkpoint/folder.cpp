#include "lbsp/checkpoint/folder.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "lbsp/checkpoint/piece.hpp"
#include "transport/error.hpp"

namespace lbsp::checkpoint {
namespace {

namespace fs = std::filesystem;

/// "lbspsta" and the format's version.
constexpr std::uint64_t state_magic = 0x026174737073626c;

/// No world is larger: datagrams name ranks in two bytes.
constexpr std::uint32_t most_ranks = 65'535;

/// What a file begins with, in the machine's byte order, as the state is. The state follows.
struct FileHead {
  std::uint64_t magic;
  std::uint64_t generation;
  std::uint64_t serial;
  std::uint64_t number;
  std::uint32_t rank;
  std::uint32_t ranks;
  std::uint64_t length;    ///< of the state
  std::uint64_t checksum;  ///< of the state
  ProgramName program;
  std::uint64_t own;  ///< checksum of the fields above
};
static_assert(sizeof(FileHead) == 128);

std::uint64_t own_checksum(const FileHead& head) {
  const auto bytes = std::as_bytes(std::span(&head, 1)).first(offsetof(FileHead, own));
  return checksum_of({bytes.begin(), bytes.end()});
}

std::string name_of(const Place& place, Rank rank) {
  return fmt::format("state-{}-{}.{}", place.generation, place.serial, rank);
}

/// While it is being written.
std::string new_name_of(const Place& place, Rank rank) {
  return name_of(place, rank) + ".new";
}

struct Named {
  Place place;
  Rank rank;
  bool complete;  ///< it has been written to its end
};

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc{};
}

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

std::optional<Named> named(const std::string& name) {
  std::string_view rest = name;
  Named found{};
  const bool is_state = take_word(rest, "state-") && take_number(rest, found.place.generation) &&
                        take_word(rest, "-") && take_number(rest, found.place.serial) &&
                        take_word(rest, ".") && take_number(rest, found.rank);
  found.complete = rest.empty();
  if (!is_state || !(found.complete || rest == ".new")) return std::nullopt;
  return found;
}

std::vector<Named> all_in(const fs::path& path) {
  std::vector<Named> all;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
    if (const auto found = named(entry->path().filename())) all.push_back(*found);
  }
  return all;
}

[[noreturn]] void throw_refused(const fs::path& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  throw SystemError(fmt::format("cannot keep a state in {}: {}: {}, or give another --checkpoint",
                                path.string(), std::strerror(error),
                                full ? "make room for it there" : "see that files can be written there"));
}

/// A descriptor that is closed again.
class OpenFile {
 public:
  OpenFile(const fs::path& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  bool is_open() const { return descriptor_ >= 0; }

  bool write(std::span<const std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
    return true;
  }
  /// All of them, or false.
  bool read(std::span<std::byte> bytes) const {
    while (!bytes.empty()) {
      const ssize_t done = ::read(descriptor_, bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) return false;
      bytes = bytes.subspan(static_cast<std::size_t>(done));
    }
    return true;
  }
  bool reach_disk() const { return ::fsync(descriptor_) == 0; }
  /// None, if it is no plain file.
  std::optional<std::uint64_t> length() const {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return static_cast<std::uint64_t>(status.st_size);
  }

 private:
  int descriptor_;
};

void remove_state(const fs::path& path, const Named& file) {
  std::error_code ignored;  // another rank may have removed it
  fs::remove(path / (file.complete ? name_of(file.place, file.rank) : new_name_of(file.place, file.rank)),
             ignored);
}

bool is_whole(const FileHead& head, const Place& place, Rank rank) {
  return head.magic == state_magic && head.own == own_checksum(head) && head.generation == place.generation &&
         head.serial == place.serial && head.rank == static_cast<std::uint32_t>(rank) &&
         head.rank < head.ranks && head.ranks <= most_ranks;
}

}  // namespace

ProgramName program_name(std::string_view name) {
  ProgramName cut{};
  std::ranges::copy(name.substr(0, cut.size()), cut.begin());
  return cut;
}

std::string_view text_of(const ProgramName& name) {
  return {name.data(), static_cast<std::size_t>(std::ranges::find(name, '\0') - name.begin())};
}

std::string file_name_of(const Place& place, Rank rank) {
  return name_of(place, rank);
}

Folder Folder::make(const fs::path& path) {
  std::error_code error;
  std::error_code ignored;
  // DIR/ is DIR.
  const fs::path parent = (path.has_filename() ? path : path.parent_path()).parent_path();
  if (!parent.empty() && !fs::exists(parent, error) && !error)
    throw UsageError(fmt::format(
        "states cannot be kept in {}: there is no folder {}: make it, or give a folder in one that is there",
        path.string(), parent.string()));
  error.clear();
  fs::create_directory(path, error);
  if (fs::is_directory(path, ignored)) return Folder(path);
  const bool full = error == std::errc::no_space_on_device;
  throw UsageError(fmt::format("states cannot be kept in {}: {}: {}", path.string(),
                               fs::exists(path, ignored) ? "that is no folder" : error.message(),
                               full ? "make room there" : "give a folder that can be written"));
}

void Folder::write(const Filed& what, const Bytes& state) const {
  FileHead head{.magic = state_magic,
                .generation = what.place.generation,
                .serial = what.place.serial,
                .number = what.number,
                .rank = static_cast<std::uint32_t>(what.rank),
                .ranks = static_cast<std::uint32_t>(what.ranks),
                .length = state.size(),
                .checksum = checksum_of(state),
                .program = what.program,
                .own = 0};
  head.own = own_checksum(head);
  const fs::path unfinished = path_ / new_name_of(what.place, what.rank);
  const auto refused = [&] {
    const int error = errno;
    ::unlink(unfinished.c_str());
    throw_refused(path_, error);
  };
  {
    const OpenFile file(unfinished, O_WRONLY | O_CREAT | O_TRUNC);
    if (!file.is_open() || !file.write(std::as_bytes(std::span(&head, 1))) || !file.write(state) ||
        !file.reach_disk())
      refused();
  }
  if (::rename(unfinished.c_str(), (path_ / name_of(what.place, what.rank)).c_str()) != 0) refused();
  const OpenFile folder(path_, O_RDONLY | O_DIRECTORY);
  if (!folder.is_open() || !folder.reach_disk()) refused();
}

std::vector<Place> Folder::of_rank(Rank rank) const {
  std::vector<Place> places;
  for (const Named& file : all_in(path_))
    if (file.complete && file.rank == rank) places.push_back(file.place);
  return places;
}

std::optional<Folder::State> Folder::read(const Place& place, Rank rank) const {
  // A pipe that somebody has put there must not be waited for.
  const OpenFile file(path_ / name_of(place, rank), O_RDONLY | O_NONBLOCK);
  const auto length = file.length();
  FileHead head{};
  if (!length || *length < sizeof(head) || !file.read(std::as_writable_bytes(std::span(&head, 1))))
    return std::nullopt;
  // No more memory is taken than the file has bytes.
  if (!is_whole(head, place, rank) || head.length != *length - sizeof(head)) return std::nullopt;
  State state{{.place = place,
               .number = head.number,
               .rank = rank,
               .ranks = static_cast<Rank>(head.ranks),
               .program = head.program},
              Bytes(head.length)};
  if (!file.read(state.bytes) || checksum_of(state.bytes) != head.checksum) return std::nullopt;
  return state;
}

void Folder::remove_before(const Place& place) const {
  for (const Named& file : all_in(path_))
    if (file.place < place) remove_state(path_, file);
}

void Folder::remove_unfinished(Rank rank) const {
  for (const Named& file : all_in(path_))
    if (file.rank == rank && !file.complete) remove_state(path_, file);
}

}  // namespace lbsp::checkpoint
