#pragma once

#include <istream>
#include <string>
#include <vector>

namespace lbsp::launch::request {

/// A line of a hosts file: `host [slots=N] [user=NAME] [address=ADDRESS]`. Its texts are words without
/// anything that ssh or a shell acts upon: letters, digits and few marks, never a - at their start.
struct HostEntry {
  std::string name;     ///< what ssh is given
  int slots = 1;        ///< ranks it may run, 1 … 65535
  std::string user;     ///< to log in as; empty: ssh's own choice
  std::string address;  ///< where its datagrams are to be sent; empty: what its name resolves to
  int line = 0;         ///< where it stands in the file
};

/// Of two names of one host the same text: upper case or lower, with or without a dot at the end.
std::string plain_name(std::string name);

/// Of one whose texts come from a command line: `HOST [--user NAME] [--address ADDRESS]`. Throws UsageError for a text
/// that a hosts file could not have.
void check_host_options(const HostEntry& host);

/// Reads one host a line; `#` begins a comment; empty lines and a byte order mark are skipped. Throws
/// UsageError, which names `file` and the line, for whatever else there is, a host that is there twice, none at
/// all, or more than a job may have ranks.
std::vector<HostEntry> read_hosts(std::istream& in, const std::string& file);

/// The same from the file itself. Throws UsageError also if it cannot be read.
std::vector<HostEntry> read_hosts_file(const std::string& file);
/// Of these only the hosts of those names, in the file's order; all if there are no names. Throws UsageError for
/// a name that the file does not have.
std::vector<HostEntry> read_hosts_file(const std::string& file, const std::vector<std::string>& only);

}  // namespace lbsp::launch::request
