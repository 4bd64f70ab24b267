#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "transport/udp/sockets/socket_address.hpp"
#include "transport/wire/sealing.hpp"

namespace lbsp::check {

/// What passes between a check and its worker on a host: one line of JSON each. A worker reads orders, a Setup first,
/// and answers each.

struct Setup {
  transport::JobKey key;
  std::string bind_address;
  std::uint16_t port = 0;  ///< UDP; 0: any that is free
  std::string program;     ///< whose path is looked up; empty: none
  int own = 0;             ///< this host's number
  int hosts = 0;           ///< how many there are
};
/// What does a host's clock say?
struct TellTime {};
/// Knock at these, by number, until they answer or for some seconds; nobody answers at an empty address.
struct KnockAt {
  std::vector<transport::PeerAddress> hosts;
};
/// Who has knocked?
struct TellHeard {};
using Order = std::variant<TellTime, KnockAt, TellHeard>;

/// It is there, and has this of what a job needs.
struct Ready {
  std::uint16_t port = 0;       ///< 0: it could not be opened
  std::string port_problem;     ///< why
  int buffer_bytes = 0;         ///< for datagrams that wait to be read, in Linux' accounting
  std::string program_problem;  ///< empty: the program is there, or none was asked for
};
/// Nanoseconds since 1970.
struct Time {
  std::int64_t nanoseconds = 0;
};
/// It has knocked for long enough.
struct Knocked {};
/// Of one other host: the sizes of its knocks that arrived, and of the own ones that it answered. `refused`: the error
/// with which this host's system refuses to send there; 0: it does not.
struct Heard {
  int host = 0;
  std::vector<std::uint16_t> arrived;
  std::vector<std::uint16_t> answered;
  int refused = 0;
};
using AllHeard = std::vector<Heard>;
using Answer = std::variant<Time, Knocked, AllHeard>;

std::string to_line(const Setup& setup);
std::string to_line(const Order& order);
std::string to_line(const Ready& ready);
std::string to_line(const Answer& answer);

/// Each throws Error for a line that the same version of lbsp would not write.
Setup read_setup(std::string_view line);
Order read_order(std::string_view line);
Ready read_ready(std::string_view line);
Answer read_answer(std::string_view line);

}  // namespace lbsp::check
