#include "tools/wan/bed/bed.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>

#include "tools/command_line/json_nesting.hpp"
#include "transport/error.hpp"

namespace lbsp::wan::bed {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr auto lock_patience = std::chrono::seconds{30};

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream out(path);
  out << text << std::flush;
  if (!out) throw SystemError(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
}

json to_json(const BedRecord& record) {
  json hosts = json::array();
  for (const BedHost& host : record.hosts) {
    hosts.push_back({{"name", host.name},
                     {"address", host.address},
                     {"network", host.network},
                     {"descriptor", host.descriptor},
                     {"inode", host.inode},
                     {"cookie", host.cookie}});
  }
  return {{"name", record.name},
          {"router_pid", record.router_pid},
          {"router_start", record.router_start},
          {"network", record.network},
          {"seed", record.seed},
          {"hosts", hosts}};
}

BedRecord from_json(const json& value) {
  BedRecord record{.name = value.at("name"),
                   .router_pid = value.at("router_pid"),
                   .router_start = value.at("router_start"),
                   .network = value.at("network"),
                   .seed = value.at("seed"),
                   .hosts = {}};
  for (const json& host : value.at("hosts")) {
    record.hosts.push_back({.name = host.at("name"),
                            .address = host.at("address"),
                            .network = host.at("network"),
                            .descriptor = host.at("descriptor"),
                            .inode = host.at("inode"),
                            .cookie = host.at("cookie")});
  }
  return record;
}

}  // namespace

std::optional<std::uint64_t> process_start(int pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string text;
  // Of a process that ends meanwhile nothing can be read, for which the buffer itself would throw.
  std::getline(in, text, '\0');
  const auto name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(text.substr(name_end + 1));
  std::string state;
  fields >> state;
  if (state == "Z" || state == "X") return std::nullopt;
  std::string skipped;
  for (int field = 4; field < 22; ++field)  // proc(5): the start time is the 22nd
    fields >> skipped;
  std::uint64_t start = 0;
  if (!(fields >> start)) return std::nullopt;
  return start;
}

bool BedRecord::router_alive() const {
  return process_start(router_pid) == router_start;
}

const BedHost& BedRecord::host(const std::string& wanted) const {
  const auto found = std::ranges::find_if(
      hosts, [&](const BedHost& host) { return host.name == wanted || host.address == wanted; });
  if (found != hosts.end()) return *found;
  throw UsageError(fmt::format("no host {} in the bed {}: there are {} to {}, or all", wanted, name,
                               hosts.front().name, hosts.back().name));
}

std::string down_command(const std::string& bed) {
  return bed == "wan" ? "lbsp wan down" : "lbsp wan down --name " + bed;
}

BedFolder::BedFolder(const std::string& name) : name_(name) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  if (name.empty() || name.size() > 32 || name.front() == '-' ||
      name.find_first_not_of(allowed) != std::string::npos) {
    throw UsageError(fmt::format("--name \"{}\": choose 1 to 32 letters, digits, - or _, not - first", name));
  }
}

bool BedFolder::exists() const {
  std::error_code ignored;
  return fs::exists(path(), ignored);
}

std::vector<std::string> BedFolder::names() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root(), ignored))
    names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

BedRecord BedFolder::read() const {
  if (!exists()) {
    const auto others = names();
    const auto hint = others.empty()
                          ? "make one with lbsp wan up"
                          : fmt::format("there {} {}; make it with lbsp wan up, or name one with --name",
                                        others.size() == 1 ? "is" : "are", fmt::join(others, ", "));
    throw UsageError(fmt::format("no bed {} is up: {}", name_, hint));
  }
  std::ostringstream text;
  text << std::ifstream(record()).rdbuf();
  try {
    if (!command_line::nests_too_deep(text.view())) return from_json(json::parse(text.view()));
  } catch (const json::exception&) {
  }
  throw UsageError(fmt::format("the bed {} is not complete: is it just being made? If not, end it with {}",
                               name_, down_command(name_)));
}

void BedFolder::write(const BedRecord& bed) const {
  std::string hosts = fmt::format("# The virtual hosts of the bed {}: {}\n", name_, bed.network);
  std::string names = "127.0.0.1 localhost\n";
  for (const BedHost& host : bed.hosts) {
    hosts += fmt::format("{} address={}{}\n", host.name, host.address,
                         host.network.empty() ? "" : fmt::format("  # {}", host.network));
    names += fmt::format("{} {}\n", host.address, host.name);
  }
  write_file(hosts_file(), hosts);
  write_file(names_file(), names);
  const fs::path incomplete = path() / "bed.json.new";
  write_file(incomplete, to_json(bed).dump(1) + "\n");
  fs::rename(incomplete, record());
}

void BedFolder::write_network(const std::string& matrix) const {
  write_file(network_file(), matrix);
}

void BedFolder::remove() const {
  std::error_code ignored;
  fs::remove_all(path(), ignored);
}

BedLock::BedLock() {
  const auto end = std::chrono::steady_clock::now() + lock_patience;
  while (std::chrono::steady_clock::now() < end) {
    const int not_made = ::mkdir(BedFolder::root().c_str(), 0700) != 0 && errno != EEXIST ? errno : 0;
    folder_ = uv::Descriptor(::open(BedFolder::root().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder_.get() < 0) {
      if (errno == ENOENT && not_made == 0) continue;  // another bed's end has just removed it
      throw SystemError(fmt::format("cannot keep a bed in {}: {}: see that files can be written there",
                                    BedFolder::root().string(),
                                    std::strerror(not_made != 0 ? not_made : errno)));
    }
    if (::flock(folder_.get(), LOCK_EX | LOCK_NB) == 0) {
      struct stat status {};
      // Its last holder may have removed it meanwhile.
      if (::fstat(folder_.get(), &status) == 0 && status.st_nlink > 0) return;
      continue;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  throw SystemError("another lbsp wan up or down has not ended for half a minute: end it");
}

BedLock::~BedLock() {
  ::rmdir(BedFolder::root().c_str());  // if it is empty
}

}  // namespace lbsp::wan::bed
