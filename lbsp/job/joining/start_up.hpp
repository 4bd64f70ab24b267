#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "lbsp/job/channel.hpp"
#include "lbsp/job/messages.hpp"
#include "lbsp/survival/carried.hpp"
#include "transport/exchange.hpp"
#include "transport/missing.hpp"
#include "transport/shared_memory/links.hpp"
#include "transport/udp/sockets/port.hpp"

namespace lbsp::job::joining {

/// What a process that has joined its job holds.
struct Membership {
  Welcome welcome;
  std::vector<std::unique_ptr<transport::Exchange>> exchanges;  ///< one per rank of this process
  std::shared_ptr<const transport::PathLog>
      log{};                                     ///< of the datagrams of this rank; none: no trace has them
  Survival survival{};                           ///< what becomes of the job when ranks are lost
  std::optional<transport::WorldChange> came{};  ///< of a new process in a lost one's place: how it got it
};

/// What a process that has said hello holds.
struct Arrival {
  Welcome welcome;
  std::optional<transport::UdpPort> port;
  std::optional<transport::shared_memory::Ground> shared{};  ///< with the other ranks of its host
};

/// Those that this host has.
std::vector<transport::Cipher> available_ciphers();

/// When the job's size is known to the launcher.
enum class SizeKnown { at_once, later };

/// The two halves of join(), for programs that decide between them how many ranks they want: takes the
/// welcome, opens the port and says hello. With SizeKnown::later rank 0 must send a size frame some time.
Arrival arrive(Channel& channel, SizeKnown size_known);

/// Waits for the start, with SizeKnown::later without limit. No exchanges: this rank is beyond the size.
Membership enter(Channel& channel, Arrival arrival, SizeKnown size_known);

/// Is told whom the rank misses, as UdpJob::on_missed.
using TellMissed = std::function<void(const transport::Missing&)>;

/// The exchanges of a process that knows all that a start tells. A new process in a lost one's place waits here until
/// it has it.
Membership enter(Arrival arrival, Start start, TellMissed tell_missed = {});

/// Joins: takes the welcome, opens the port, says hello and waits for the start. Throws Error if the launcher
/// is gone, silent for its own start timeout and a little, or of another version, SystemError if the port
/// cannot be had.
Membership join(Channel& channel);

}  // namespace lbsp::job::joining
