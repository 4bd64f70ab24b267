#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tools/uv/descriptors.hpp"

namespace lbsp::wan::bed {

/// A virtual host of a bed.
struct BedHost {
  std::string name;          ///< h0, h1, …
  std::string address;       ///< of its only device
  std::string network;       ///< what it stands for, if a profile names it; or empty
  int descriptor = -1;       ///< of its network namespace, in the router
  std::uint64_t inode = 0;   ///< of its network namespace; another may get it when that is gone
  std::uint64_t cookie = 0;  ///< the same; no other gets it
};

/// What is known of a bed while it is up, in the file bed.json of its folder.
struct BedRecord {
  std::string name;
  int router_pid = 0;
  std::uint64_t router_start = 0;  ///< in ticks since boot: tells it from another process of the same number
  std::string network;             ///< in words
  std::uint64_t seed = 0;
  std::vector<BedHost> hosts;

  bool router_alive() const;
  /// By name or address. Throws UsageError.
  const BedHost& host(const std::string& name) const;
};

/// The command line that ends the bed.
std::string down_command(const std::string& bed);

/// Where beds keep their files: /run/lbsp-wan/NAME/. The folder is there from before the first thing that a
/// bed makes until after the last is gone.
class BedFolder {
 public:
  /// Throws UsageError for a name that is not 1 to 32 letters, digits, - or _, or begins with -.
  explicit BedFolder(const std::string& name);

  const std::string& name() const { return name_; }
  std::filesystem::path path() const { return root() / name_; }
  std::filesystem::path record() const { return path() / "bed.json"; }
  std::filesystem::path counters() const { return path() / "counters"; }
  std::filesystem::path hosts_file() const { return path() / "hosts"; }
  std::filesystem::path names_file() const { return path() / "etc-hosts"; }
  /// What lies between the hosts, as a matrix (matrix_file.hpp).
  std::filesystem::path network_file() const { return path() / "network"; }
  std::filesystem::path log() const { return path() / "router.log"; }

  bool exists() const;
  /// Throws UsageError if the bed is not there, or was begun but never came up.
  BedRecord read() const;
  /// Writes the record and the files that users of the bed read. Throws SystemError.
  void write(const BedRecord& record) const;
  /// Writes network_file() anew, in place: the router has it open. Throws SystemError.
  void write_network(const std::string& matrix) const;
  void remove() const;

  static std::filesystem::path root() { return "/run/lbsp-wan"; }
  /// The names of all beds.
  static std::vector<std::string> names();

 private:
  std::string name_;
};

/// Held while beds are made and ended, machine-wide: one at a time. Leaves no file if there is no bed.
class BedLock {
 public:
  /// Waits for it, at most half a minute. Throws SystemError.
  BedLock();
  BedLock(const BedLock&) = delete;
  BedLock& operator=(const BedLock&) = delete;
  ~BedLock();

 private:
  uv::Descriptor folder_;
};

/// When the process was started, in ticks since boot; nothing if it is gone, or dead and not yet reaped.
std::optional<std::uint64_t> process_start(int pid);

}  // namespace lbsp::wan::bed
