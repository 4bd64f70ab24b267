#include "lbsp/job/start_up.hpp"

#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "lbsp/job/shared_segment.hpp"
#include "lbsp/plan/model_planner.hpp"
#include "transport/error.hpp"
#include "transport/threads/threads_exchange.hpp"
#include "transport/udp/port.hpp"
#include "transport/udp/udp_exchange.hpp"
#include "transport/wire/secret_bytes.hpp"

namespace lbsp::job {
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

std::vector<Cipher> available_ciphers() {
  std::vector<Cipher> ciphers;
  for (const Cipher cipher : {Cipher::aes256_gcm, Cipher::chacha20_poly1305}) {
    if (transport::cipher_available(cipher)) ciphers.push_back(cipher);
  }
  return ciphers;
}

/// Redundancy that is not fixed is planned with the model.
transport::PlannerFactory planner_factory(const Welcome& welcome) {
  return [options = welcome.options](Rank) { return std::make_unique<plan::ModelPlanner>(options); };
}

std::unique_ptr<transport::Exchange> open_udp(const Welcome& welcome, transport::UdpPort port, Start start) {
  return std::make_unique<transport::UdpExchange>(std::move(port),
                                                  transport::UdpJob{.rank = welcome.rank,
                                                                    .addresses = std::move(start.addresses),
                                                                    .key = welcome.key,
                                                                    .cipher = start.cipher,
                                                                    .options = welcome.options,
                                                                    .wan = welcome.wan,
                                                                    .wan_seed = welcome.wan_seed,
                                                                    .planner = planner_factory(welcome),
                                                                    .priors = welcome.paths});
}

}  // namespace

Arrival arrive(Channel& channel, SizeKnown size_known) {
  Arrival arrival{expect<Welcome>(channel, FrameKind::welcome, longest_wait_for_welcome), std::nullopt};
  transport::wipe_returned_frames();  // the key came with it
  const Welcome& welcome = arrival.welcome;
  if (welcome.backend == Backend::udp) {
    arrival.port = transport::UdpPort::bind(welcome.bind_address, welcome.bind_port);
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
  Membership membership{welcome, {}};
  const auto size = static_cast<Rank>(start.addresses.size());
  // None, where rank 0 has ended before it said how many it wants.
  const Rank least = welcome.rank == 0 ? 1 : 0;
  const bool fewer = size_known == SizeKnown::later && size >= least && size < welcome.size;
  if (size != welcome.size && !fewer)
    throw Error(
        fmt::format("the launcher starts {} ranks of {}: use the same lbsp everywhere", size, welcome.size));
  if (welcome.rank >= size) return membership;
  if (start.share_memory && !arrival.shared)
    throw Error("the launcher speaks of memory that this rank does not have: use the same lbsp everywhere");
  if (welcome.backend == Backend::threads) {
    membership.exchanges = transport::make_threads_exchanges(welcome.size);
  } else if (start.share_memory) {
    membership.exchanges.push_back(open_shared_memory(welcome, std::move(*arrival.shared), start));
  } else {
    membership.exchanges.push_back(open_udp(welcome, std::move(*arrival.port), std::move(start)));
  }
  return membership;
}

Membership join(Channel& channel) {
  return enter(channel, arrive(channel, SizeKnown::at_once), SizeKnown::at_once);
}

}  // namespace lbsp::job
