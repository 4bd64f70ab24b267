#include "lbsp/job/joining/start_up.hpp"

#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <thread>
#include <utility>

#include "lbsp/job/inherited_descriptor.hpp"
#include "lbsp/job/joining/ranks_on_host.hpp"
#include "lbsp/job/joining/shared_segment.hpp"
#include "lbsp/plan/model_planner.hpp"
#include "transport/error.hpp"
#include "transport/mixed/mixed_exchange.hpp"
#include "transport/shared_memory/shared_memory_exchange.hpp"
#include "transport/threads/threads_exchange.hpp"
#include "transport/udp/sockets/port.hpp"
#include "transport/udp/udp_exchange.hpp"
#include "transport/wire/secret_bytes.hpp"

namespace lbsp::job::joining {
namespace {

using transport::Cipher;

/// The launcher gives up first, and knows why.
constexpr std::chrono::seconds launcher_margin{10};
constexpr std::chrono::seconds longest_wait_for_welcome{30};

template <class Message>
Message expect(Channel& channel, FrameKind kind, Channel::Clock::duration patience) {
  const auto frame = channel.receive(Channel::Clock::now() + patience);
  if (!frame) throw Error("the launcher says nothing: start the job again");
  if (frame->kind != kind) throw Error("the launcher speaks out of turn: use the same lbsp everywhere");
  return from_payload<Message>(frame->payload);
}

/// Redundancy that is not fixed is planned with the model.
transport::PlannerFactory planner_factory(const Welcome& welcome) {
  return [options = welcome.options](Rank) { return std::make_unique<plan::ModelPlanner>(options); };
}

transport::UdpJob udp_job(const Welcome& welcome, Start start, std::shared_ptr<transport::PathLog> log) {
  transport::UdpJob job{.rank = welcome.rank,
                        .addresses = std::move(start.addresses),
                        .key = welcome.key,
                        .cipher = start.cipher,
                        .options = welcome.options,
                        .wan = welcome.wan,
                        .wan_seed = welcome.wan_seed,
                        .priors = welcome.paths};
  job.former = std::move(start.former);
  job.planner = planner_factory(welcome);
  job.log = std::move(log);
  return job;
}

/// Of a rank that shares memory.
transport::shared_memory::LinksConfig links_config(const Welcome& welcome, const Start& start) {
  return {.self = welcome.rank - welcome.shared->first_rank,
          .first_rank = welcome.shared->first_rank,
          .place = fmt::format(" on {}", start.addresses[static_cast<std::size_t>(welcome.rank)].name),
          .processors = static_cast<int>(std::thread::hardware_concurrency()),
          .peer_timeout = welcome.options.peer_timeout};
}

bool is_of_this_host(const std::string& address) {
  try {
    transport::UdpPort::bind(address, 0);
    return true;
  } catch (const SystemError&) {
    return false;
  }
}

/// Members that hear this rank send to where it is, but those that join later go by its address: what they send to it
/// would come to another host.
void require_own_address(const ClaimedAddress& claimed) {
  if (!is_of_this_host(claimed.address))
    throw Error(fmt::format(
        "the address {} is not one of this host, but of host {}: give this host's own by --address to lbsp join",
        claimed.address, claimed.of));
}

}  // namespace

std::vector<Cipher> available_ciphers() {
  std::vector<Cipher> ciphers;
  for (const Cipher cipher : {Cipher::aes256_gcm, Cipher::chacha20_poly1305}) {
    if (transport::cipher_available(cipher)) ciphers.push_back(cipher);
  }
  return ciphers;
}

Arrival arrive(Channel& channel, SizeKnown size_known) {
  Arrival arrival{expect<Welcome>(channel, FrameKind::welcome, longest_wait_for_welcome), std::nullopt};
  transport::wipe_returned_frames();  // the key came with it
  const Welcome& welcome = arrival.welcome;
  set_ranks_on_host(welcome.ranks_on_host);
  if (welcome.backend == Backend::udp) {
    const auto inherited = take_inherited_descriptor(port_variable);
    arrival.port =
        inherited ? transport::UdpPort::take(*inherited) : transport::UdpPort::bind(welcome.bind_address, 0);
  }
  arrival.shared = take_shared_segment(welcome);
  const std::uint16_t number = arrival.port ? arrival.port->port() : std::uint16_t{0};
  const Hello hello{.port = number,
                    .ciphers = available_ciphers(),
                    .shares_memory = arrival.shared.has_value(),
                    .size_follows = size_known == SizeKnown::later};
  channel.send({FrameKind::hello, 0, to_payload(hello)});
  return arrival;
}

Membership enter(Channel& channel, Arrival arrival, SizeKnown size_known) {
  constexpr std::chrono::hours as_long_as_it_takes{24 * 365};
  const Welcome& welcome = arrival.welcome;
  const Channel::Clock::duration patience =
      size_known == SizeKnown::later
          ? Channel::Clock::duration(as_long_as_it_takes)
          : std::chrono::duration_cast<Channel::Clock::duration>(welcome.start_timeout + launcher_margin);
  auto start = expect<Start>(channel, FrameKind::start, patience);
  const auto size = static_cast<Rank>(start.addresses.size());
  // None, where rank 0 has ended before it said how many it wants.
  const Rank least = welcome.rank == 0 ? 1 : 0;
  const bool fewer = size_known == SizeKnown::later && size >= least && size < welcome.size;
  // Others may have joined the job meanwhile.
  const bool newcomer_is_among = welcome.newcomer_on && size > welcome.rank;
  if (size != welcome.size && !fewer && !newcomer_is_among)
    throw Error(
        fmt::format("the launcher starts {} ranks of {}: use the same lbsp everywhere", size, welcome.size));
  if (start.share_memory && welcome.shared && !arrival.shared && welcome.rank < size)
    throw Error("the launcher speaks of memory that this rank does not have: use the same lbsp everywhere");
  return enter(std::move(arrival), std::move(start), [&channel](const transport::Missing& missing) {
    try {
      channel.send({FrameKind::missed, 0, to_payload(missing)});
    } catch (const Error&) {  // the launcher is gone: who watches the channel knows it, too
    }
  });
}

namespace {

Survival survival_of(const Welcome& welcome) {
  return {.outlives_ranks = welcome.options.outlives_ranks,
          .respawns = welcome.options.newcomer_wait > transport::Duration{0},
          .hosts_at_once = welcome.survive,
          .hosts = {},
          .checkpoint = welcome.checkpoint,
          .restart = welcome.restart,
          .host_mtbf = welcome.host_mtbf,
          .seconds = {}};
}

/// Where all ranks exchange by UDP. A new process waits here until it has its place.
void enter_by_udp(Membership& membership, transport::UdpPort port, transport::UdpJob job,
                  TellMissed tell_missed) {
  job.newcomer_on = membership.welcome.newcomer_on;
  job.newcomer = membership.welcome.newcomer;
  if (membership.survival.outlives_ranks) job.on_missed = std::move(tell_missed);
  membership.survival.hosts = transport::hosts_of_ranks(job);
  auto exchange = std::make_unique<transport::UdpExchange>(std::move(port), job);
  if (job.newcomer_on) {
    membership.came = exchange->take_seat();
    membership.survival.hosts = membership.came->hosts;
  }
  membership.exchanges.push_back(std::move(exchange));
}

}  // namespace

Membership enter(Arrival arrival, Start start, TellMissed tell_missed) {
  const Welcome& welcome = arrival.welcome;
  const auto size = static_cast<Rank>(start.addresses.size());
  Membership membership{welcome, {}};
  if (welcome.rank >= size) return membership;
  if (welcome.claimed) require_own_address(*welcome.claimed);
  membership.survival = survival_of(welcome);
  std::shared_ptr<transport::PathLog> log;
  if (welcome.trace && welcome.backend == Backend::udp)
    log = std::make_shared<transport::PathLog>(size, welcome.trace_packets);
  membership.log = log;
  const bool shares = start.share_memory && arrival.shared;
  if (welcome.backend == Backend::threads) {
    membership.exchanges = transport::make_threads_exchanges(welcome.size, welcome.options.max_message_bytes);
  } else if (shares && welcome.shared->first_rank == 0 && size <= welcome.shared->ranks) {
    membership.exchanges.push_back(std::make_unique<transport::SharedMemoryExchange>(
        std::move(*arrival.shared), links_config(welcome, start), size, welcome.options.max_message_bytes));
  } else if (shares) {
    const auto near = links_config(welcome, start);
    membership.exchanges.push_back(
        std::make_unique<transport::MixedExchange>(std::move(*arrival.shared), near, std::move(*arrival.port),
                                                   udp_job(welcome, std::move(start), std::move(log))));
  } else {
    enter_by_udp(membership, std::move(*arrival.port), udp_job(welcome, std::move(start), std::move(log)),
                 std::move(tell_missed));
  }
  return membership;
}

Membership join(Channel& channel) {
  return enter(channel, arrive(channel, SizeKnown::at_once), SizeKnown::at_once);
}

}  // namespace lbsp::job::joining
