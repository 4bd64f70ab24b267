#pragma once

#include <memory>
#include <string>

#include "transport/units.hpp"

namespace lbsp::job::joining {

/// What srun, mpirun or another starter tells a process that it has started, and carries between those that belong
/// together: by PMIx (PMIx Standard, version 4). Its library is loaded when it is needed, so no other process needs it.
class PmixClient {
 public:
  /// Whether such a starter has started this process.
  static bool is_inherited();

  /// Waits until all have come here, 30 s at most, or LBSP_START_TIMEOUT. Throws SystemError if there is no library,
  /// the starter does not answer it, or not all come.
  PmixClient();
  /// Without finalize() before, the starter takes the process for one that failed, and ends the others too.
  ~PmixClient();

  Rank rank() const { return rank_; }
  Rank size() const { return size_; }
  /// How many of the processes are on this host, and which of them this is.
  Rank ranks_on_host() const { return ranks_on_host_; }
  Rank rank_on_host() const { return rank_on_host_; }
  /// What the starter calls this host.
  const std::string& host() const { return host_; }

  /// Gives all others a text, with the next fence(). The starter's connections carry it, which others may read who
  /// can read the traffic of its daemons. Throws SystemError.
  void put(const std::string& key, const std::string& text);
  /// Waits until all have come here, for minutes at most. Throws SystemError.
  void fence();
  /// What a process has put before the last fence(). Throws SystemError.
  std::string get(Rank rank, const std::string& key);

  /// The process has done its part.
  void finalize();

 private:
  struct Library;
  void meet();

  std::unique_ptr<Library> library_;
  Rank rank_ = 0;
  Rank size_ = 1;
  Rank ranks_on_host_ = 1;
  Rank rank_on_host_ = 0;
  std::string host_;
};

}  // namespace lbsp::job::joining
