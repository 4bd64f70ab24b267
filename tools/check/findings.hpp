#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lbsp::check {

/// What is known of a host after a check.
struct HostSeen {
  std::string name;
  std::string silence{};                  ///< why nothing is known of it; empty: it answers
  std::uint16_t port = 0;                 ///< UDP; 0: none could be opened
  std::string port_problem{};             ///< why
  int buffer_bytes = 0;                   ///< for datagrams that wait to be read, in Linux' accounting
  std::string program_problem{};          ///< empty: the program is there, or none was asked for
  std::optional<double> clock_ahead_s{};  ///< of the clock of who checks; none: not known
  double clock_error_s = 0;               ///< at most
};

/// What came of knocks from one host to another, both of which answer.
struct PairSeen {
  int from = 0;
  int to = 0;
  std::uint16_t largest = 0;  ///< UDP payload that arrived; 0: nothing
  std::uint16_t full = 0;     ///< what arrives where nothing is narrower than an Ethernet
  bool answered = false;      ///< an answer came back
  int refused = 0;            ///< the error with which the one's own system refuses to send; 0: it does not
};

struct Seen {
  std::vector<HostSeen> hosts;
  std::vector<PairSeen> pairs;
  std::string program;                      ///< that was asked for
  int interrupted_by = 0;                   ///< the signal that ended it before all was seen
  std::string way{"ssh -o BatchMode=yes"};  ///< the command that leads to a host whose name follows
};

/// One thing that is wrong with a host, or with pairs of hosts.
struct Finding {
  bool grave = true;  ///< a job would fail; else it would be slower, or only odd
  std::string host;   ///< its name; empty: it is about pairs, or about each host
  std::string what;
  std::string to_do;
};

/// What is wrong, by host in the file's order, then of pairs. Of what has one cause there is one finding.
std::vector<Finding> findings(const Seen& seen);

/// Whether datagrams of the two find each other, if need be as answers only, as behind a NAT.
bool reach_each_other(const Seen& seen, int one, int other);

}  // namespace lbsp::check
