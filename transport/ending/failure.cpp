#include "transport/ending/failure.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <string_view>

#include "transport/error.hpp"
#include "transport/paths/datagram_sizes.hpp"

namespace lbsp::transport {
namespace {

using Places = std::vector<std::string>;

constexpr std::string_view before_cause = "; ";

std::string lost(const AbortNotice& notice, const Places& places) {
  const std::string name = name_of(notice.subject, places);
  const double silent = notice.silent_milliseconds / 1e3;
  if (notice.tells_cause)
    return fmt::format("{} was last heard {:.1f} s ago, in superstep {}{}", name, silent, notice.superstep,
                       notice.text);
  return fmt::format(
      "{} was last heard {:.1f} s ago, in superstep {}{}: check that process, its host and the network to it, "
      "or raise --peer-timeout",
      name, silent, notice.superstep, notice.text);
}

bool is_on_loopback(std::string_view name) {
  return name.find(" at 127.") != std::string_view::npos;
}

std::string never_heard(const AbortNotice& notice, const Places& places) {
  const std::string name = name_of(notice.subject, places);
  const double silent = notice.silent_milliseconds / 1e3;
  if (const std::size_t end = notice.text.find(before_cause);
      notice.tells_cause && end != std::string::npos) {
    const std::string by = notice.text.substr(0, end);
    return fmt::format("{} was never heard by {} in {:.1f} s: {}", name, by, silent,
                       notice.text.substr(end + before_cause.size()));
  }
  // No firewall is likely there. Ranks that wait for a processor are, and networks that are pretended.
  if (is_on_loopback(name) && is_on_loopback(notice.text))
    return fmt::format(
        "{} was never heard by {} in {:.1f} s, though both are on one host: start fewer ranks there, pretend a "
        "better network (--wan), or raise --peer-timeout",
        name, notice.text, silent);
  return fmt::format(
      "{} was never heard by {} in {:.1f} s: a firewall may block the UDP port of either, one way or both: open "
      "UDP between these hosts, see --port",
      name, notice.text, silent);
}

std::string cut_off(const AbortNotice& notice, const Places& places) {
  if (notice.tells_cause)
    return fmt::format("{}, in superstep {}, {}", name_of(notice.subject, places), notice.superstep,
                       notice.text);
  return fmt::format(
      "{} {}, in superstep {}: check that host, its network and its firewall, or raise --peer-timeout",
      name_of(notice.subject, places), notice.text, notice.superstep);
}

}  // namespace

std::string name_of(Rank rank, const Places& places) {
  const auto index = static_cast<std::size_t>(rank);
  if (index >= places.size()) return fmt::format("rank {}", rank);
  return fmt::format("rank {} {}", rank, places[index]);
}

Failure failure_from(const AbortNotice& notice, const Places& places) {
  const Rank rank = notice.subject;
  switch (notice.reason) {
    case AbortReason::program:
      return {Failure::Kind::aborted, rank, fmt::format("rank {} ended the job: {}", rank, notice.text)};
    case AbortReason::out_of_memory:
      return {Failure::Kind::out_of_memory, rank,
              fmt::format("{} has no memory for a message in superstep {} ({}): send less per superstep",
                          name_of(rank, places), notice.superstep, notice.text)};
    case AbortReason::no_progress:
      return {Failure::Kind::peer_lost, rank,
              fmt::format("{} answers, but in superstep {} {}", name_of(rank, places), notice.superstep,
                          notice.text)};
    case AbortReason::never_heard:
      return {Failure::Kind::peer_lost, rank, never_heard(notice, places)};
    case AbortReason::cut_off:
      return {Failure::Kind::peer_lost, rank, cut_off(notice, places)};
    case AbortReason::peer_lost:
      break;
  }
  return {Failure::Kind::peer_lost, rank, lost(notice, places)};
}

std::uint32_t milliseconds_of(Duration duration) {
  const auto count = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(count, 0, UINT32_MAX));
}

std::string likely_cause(std::size_t longest_sent, std::size_t largest_passed) {
  const std::size_t shorter = next_smaller_datagram(longest_sent);
  if (longest_sent > base_datagram_bytes && largest_passed > 0 && largest_passed <= shorter) {
    return fmt::format("datagrams of {} bytes seem to be too large for the path: try --datagram {}",
                       longest_sent, shorter);
  }
  return "what stops them cannot be seen from here: look for a filter, a full receive buffer, a stopped process or a "
         "link that is too slow for what is sent";
}

void throw_failure(const Failure& failure) {
  switch (failure.kind) {
    case Failure::Kind::peer_lost:
      throw PeerLost(failure.rank, failure.message);
    case Failure::Kind::aborted:
      throw Aborted(failure.message);
    case Failure::Kind::excluded:
      throw Excluded(failure.message);
    case Failure::Kind::out_of_memory:
      break;
  }
  throw MessageTooLarge(failure.message);
}

}  // namespace lbsp::transport
