#include "lbsp/checkpoint/store.hpp"

#include <algorithm>
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

void Store::save(std::uint64_t number, Bytes state, bool elsewhere) {
  if (!due())
    throw UsageError("a checkpoint is taken before all ranks have the one before: take them less often");
  if (!elsewhere && common_ && !has_base_of_this_world())
    throw UsageError(
        "the first state that a world keeps is to be on other hosts too: the program must send it");
  newest_ = Checkpoint{.serial = ++serial_,
                       .number = number,
                       .epoch = world_.epoch,
                       .members = world_.members,
                       .layout = layout_};
  sends_ = elsewhere;
  complete_ = false;
  if (elsewhere) {
    newest_->elsewhere = number;
    newest_->own = make_image(std::move(state), layout_.needed());
  } else {
    newest_->own.length = state.size();
    newest_->own.bytes = std::move(state);
  }
}

double Store::sent_part() const {
  return layout_.needed() == 0 ? 0 : static_cast<double>(layout_.pieces()) / layout_.needed();
}

std::vector<Store::Addressed> Store::to_send() const {
  std::vector<Addressed> out;
  if (!begins() || !sends_) return out;
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

bool Store::awaits_early(std::uint64_t superstep) {
  if (!newest_ || complete_ || !awaited_before_) return false;
  if (*awaited_before_ == superstep) return true;
  if (*awaited_before_ < superstep) awaited_before_.reset();
  return false;
}

std::vector<Rank> Store::sources() const {
  std::vector<Rank> sources;
  for (Rank rank = 0; rank < static_cast<Rank>(world_.members.size()); ++rank)
    if (rank != self_ && std::ranges::count(layout_.keepers(rank), self_) > 0) sources.push_back(rank);
  return sources;
}

std::uint64_t Store::early_taken() {
  complete_ = true;
  return newest_->serial;
}

void Store::take(Piece piece) {
  if (newest_ && sends_ && newest_->serial == piece.head.serial) newest_->pieces.push_back(std::move(piece));
}

std::optional<std::uint64_t> Store::superstep_completed() {
  if (!newest_ || (awaited_before_ && !complete_)) return std::nullopt;
  if (!complete_) {
    complete_ = true;
    return newest_->serial;
  }
  replace_common();
  return std::nullopt;
}

void Store::replace_common() {
  if (!sends_ && common_) {
    newest_->elsewhere = common_->elsewhere;
    newest_->pieces = std::move(common_->pieces);
  }
  common_ = std::exchange(newest_, std::nullopt);
  awaited_before_.reset();
}

void Store::come_to(std::uint64_t serial) {
  come_to_ = serial;
  serial_ = serial;
}

std::optional<std::uint64_t> Store::number_of(std::uint64_t serial) const {
  if (serial == 0) return 0;
  if (newest_ && newest_->serial == serial) return newest_->number;
  if (common_ && common_->serial == serial) return common_->number;
  return std::nullopt;
}

void Store::change_to(std::uint64_t serial) {
  if (newest_ && complete_ && newest_->serial == serial) replace_common();
  newest_.reset();
  complete_ = false;
  awaited_before_.reset();
  if (serial == 0 || serial == come_to_) common_.reset();
  if (serial != 0 && serial != come_to_ && (!common_ || common_->serial != serial))
    throw Error(fmt::format(
        "all ranks are to go on from checkpoint {}, which this one does not have: run the same build of the program on "
        "every rank",
        serial));
  serial_ = serial;
}

}  // namespace lbsp::checkpoint
