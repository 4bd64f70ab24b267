#include "lbsp/superstep/messages/offers.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <limits>

#include "transport/error.hpp"
#include "transport/process/address.hpp"

namespace lbsp::superstep {
namespace {

/// A reply that has no offer is copied three times, to memory that is asked for anew.
constexpr std::size_t least_reply = std::size_t{16} << 10;

}  // namespace

void Offers::Ranks::add(Rank rank) {
  const auto place = static_cast<std::size_t>(rank);
  if (has_[place]) return;
  has_[place] = true;
  ranks_.push_back(rank);
}

void Offers::Ranks::clear() {
  for (const Rank rank : ranks_)
    has_[static_cast<std::size_t>(rank)] = false;
  ranks_.clear();
}

std::size_t Offers::least(Rank to) const {
  constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  if (to == rank_) return 0;
  if (lending_ == nullptr) return never;
  const std::size_t least = lending_->least_offer(to);
  return leg_ == Leg::reply && least != never ? std::min(least, least_reply) : least;
}

std::uint64_t Offers::offer(Rank to, std::span<const std::byte> memory) {
  if (to == rank_) return transport::address_of(memory.data());
  readers_.add(to);
  offered_bytes_ += memory.size();
  return lending_->offer(to, memory);
}

void Offers::fetch(Rank from, std::uint64_t address, std::span<std::byte> into) {
  if (from == rank_) {
    std::memmove(into.data(), transport::memory_at(address), into.size());
    return;
  }
  if (lending_ == nullptr) {
    throw Error(fmt::format(
        "rank {} offers memory that cannot be read from here: run the same build of the program on "
        "every rank",
        from));
  }
  owners_.add(from);
  lending_->fetch(from, address, into);
  fetched_bytes_ += into.size();
}

void Offers::settle() {
  if (!owners_.all().empty() || !readers_.all().empty())
    lending_->settle(leg_, owners_.all(), readers_.all());
  withdraw();
}

void Offers::withdraw() {
  owners_.clear();
  readers_.clear();
  offered_bytes_ = 0;
  fetched_bytes_ = 0;
}

}  // namespace lbsp::superstep
