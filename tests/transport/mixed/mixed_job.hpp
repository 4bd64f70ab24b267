#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "transport/mixed/mixed_exchange.hpp"
#include "transport/shared_memory/segment.hpp"
#include "transport/shared_memory/shared_memory_exchange.hpp"

namespace lbsp::transport {

/// What a rank of a mixed job may send another.
inline constexpr std::uint64_t mixed_message_bytes = std::uint64_t{64} << 20;

/// A job over hosts of these numbers of ranks, all in this process.
class MixedJob {
 public:
  explicit MixedJob(const std::vector<Rank>& hosts, std::string_view wan = "",
                    BytesPerSecond rate = ExchangeOptions{}.rate) {
    // Jobs of tests that run side by side may have one another's ports, one after the other.
    job_.key = JobKey::random();
    job_.options.rate = rate;
    job_.options.max_message_bytes = mixed_message_bytes;
    job_.options.peer_timeout = std::chrono::seconds{20};
    if (!wan.empty()) job_.wan = parse_wan_spec(wan);
    for (const Rank ranks : hosts) {
      segments_.push_back(
          shared_memory::SegmentFile::create(shared_memory::Geometry::of(ranks, mixed_message_bytes)));
      for (Rank seat = 0; seat < ranks; ++seat) {
        ports_.push_back(UdpPort::bind("127.0.0.1", 0));
        places_.push_back({segments_.size() - 1, ranks, seat});
        job_.addresses.push_back(
            {"127.0.0.1", ports_.back().port(), "host" + std::to_string(segments_.size())});
      }
    }
  }

  /// The errors' texts by rank.
  std::vector<std::string> run(const std::function<void(Exchange&)>& program) {
    std::vector<std::string> errors(ports_.size());
    std::vector<std::jthread> threads;
    threads.reserve(errors.size());
    for (std::size_t rank = 0; rank < ports_.size(); ++rank) {
      threads.emplace_back([&, rank] {
        try {
          const auto exchange = join(static_cast<Rank>(rank));
          program(*exchange);
        } catch (const std::exception& error) {
          errors[rank] = error.what();
        }
      });
    }
    threads.clear();
    return errors;
  }

 private:
  struct Place {
    std::size_t host;
    Rank ranks;
    Rank seat;
  };

  std::unique_ptr<Exchange> join(Rank rank) {
    const Place& place = places_[static_cast<std::size_t>(rank)];
    UdpJob own = job_;
    own.rank = rank;
    UdpPort port = std::move(ports_[static_cast<std::size_t>(rank)]);
    if (place.ranks == 1) return std::make_unique<UdpExchange>(std::move(port), own);
    shared_memory::SegmentFile file = segments_[place.host].again();
    return std::make_unique<MixedExchange>(
        open_segment(std::move(file), shared_memory::Geometry::of(place.ranks, mixed_message_bytes),
                     place.seat),
        shared_memory::LinksConfig{.self = place.seat,
                                   .first_rank = rank - place.seat,
                                   .place = " on host",
                                   .peer_timeout = job_.options.peer_timeout},
        std::move(port), own);
  }

  UdpJob job_;
  std::vector<UdpPort> ports_;
  std::vector<shared_memory::SegmentFile> segments_;
  std::vector<Place> places_;
};

}  // namespace lbsp::transport
