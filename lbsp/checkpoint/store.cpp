#include "lbsp/checkpoint/store.hpp"

#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::checkpoint {

void Store::begin_world(Rank self, World world, std::span<const std::uint16_t> hosts, int survive) {
  std::vector<std::uint16_t> of_members;
  for (const Rank member : world.members)
    if (!hosts.empty()) of_members.push_back(hosts[static_cast<std::size_t>(member)]);
  self_ = self;
  layout_ = Layout(static_cast<Rank>(world.members.size()), of_members, survive);
  world_ = std::move(world);
}

void Store::save(std::uint64_t number, Bytes state, std::uint64_t supersteps) {
  if (!due())
    throw UsageError("a checkpoint is taken before all ranks have the one before: take them less often");
  newest_ = Checkpoint{.serial = ++serial_,
                       .number = number,
                       .epoch = world_.epoch,
                       .members = world_.members,
                       .layout = layout_};
  newest_->own = make_image(std::move(state), layout_.needed());
  left_ = supersteps + 1;
}

std::vector<Store::Addressed> Store::pieces() const {
  std::vector<Addressed> out;
  if (!newest_ || left_ == 0) return out;
  const Image& own = newest_->own;
  for (const Rank keeper : layout_.keepers(self_)) {
    const auto index = static_cast<int>(out.size());
    const PieceHead head{.serial = newest_->serial,
                         .length = own.length,
                         .checksum = own.checksum,
                         .of = static_cast<std::uint32_t>(self_),
                         .index = static_cast<std::uint32_t>(index)};
    out.push_back({keeper, {head, piece_of(own, layout_.needed(), index)}});
  }
  return out;
}

void Store::take(Piece piece) {
  if (newest_ && newest_->serial == piece.head.serial) newest_->pieces.push_back(std::move(piece));
}

std::optional<std::uint64_t> Store::superstep_completed() {
  if (!newest_) return std::nullopt;
  if (left_ > 0) return --left_ == 0 ? std::optional(newest_->serial) : std::nullopt;
  common_ = std::exchange(newest_, std::nullopt);
  return std::nullopt;
}

void Store::come_to(std::uint64_t serial) {
  come_to_ = serial;
  serial_ = serial;
}

void Store::change_to(std::uint64_t serial) {
  if (newest_ && left_ == 0 && newest_->serial == serial) common_ = std::move(newest_);
  newest_.reset();
  left_ = 0;
  if (serial == 0 || serial == come_to_) common_.reset();
  if (serial != 0 && serial != come_to_ && (!common_ || common_->serial != serial))
    throw Error(fmt::format(
        "all ranks are to go on from checkpoint {}, which this one does not have: run the same build of the program on "
        "every rank",
        serial));
  serial_ = serial;
}

}  // namespace lbsp::checkpoint
