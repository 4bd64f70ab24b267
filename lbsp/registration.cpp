#include "lbsp/registration.hpp"

#include <fmt/format.h>
#include <utility>

#include "transport/error.hpp"

namespace lbsp {

Registration::Registration(World& world, superstep::SlotSpec spec)
    : engine_(world.engine_.get()), slot_(engine_->slots().add(std::move(spec))) {}

Registration::Registration(Registration&& other) noexcept
    : engine_(std::exchange(other.engine_, nullptr)), slot_(other.slot_), released_(other.released_) {}

Registration& Registration::operator=(Registration&& other) noexcept {
  std::swap(engine_, other.engine_);
  std::swap(slot_, other.slot_);
  std::swap(released_, other.released_);
  return *this;
}

Registration::~Registration() {
  release();
}

void Registration::release() noexcept {
  if (engine_ != nullptr && !released_) engine_->slots().release(slot_);
  released_ = true;
}

void Registration::put(Rank to, std::size_t offset, std::size_t count,
                       std::span<const std::byte> data) const {
  engine_->transfers().put({slot_, to, offset, count}, data);
}

void Registration::put_unbuffered(Rank to, std::size_t offset, std::size_t count,
                                  std::span<const std::byte> data) const {
  engine_->transfers().put_unbuffered({slot_, to, offset, count}, data);
}

void Registration::get(Rank from, std::size_t offset, std::size_t count, std::span<std::byte> into,
                       std::shared_ptr<superstep::Completion> completion) const {
  engine_->transfers().get({slot_, from, offset, count}, into, std::move(completion));
}

void Registration::check_get(Rank from, std::size_t offset, std::size_t count) const {
  if (count != 0) engine_->transfers().check("get", {slot_, from, offset, count});
}

void Registration::send(Rank to, std::span<const std::byte> tag, std::span<const std::byte> values) const {
  engine_->transfers().send(slot_, to, tag, values);
}

std::span<std::byte> Registration::put_in_place(Rank to, std::size_t offset, std::size_t count) const {
  return engine_->transfers().put_in_place({slot_, to, offset, count});
}

std::span<std::byte> Registration::send_in_place(Rank to, std::span<const std::byte> tag,
                                                 std::size_t bytes) const {
  return engine_->transfers().send_in_place(slot_, to, tag, bytes);
}

void Registration::refuse_index(std::size_t index, std::size_t count, std::string_view what) const {
  if (count == 1) what.remove_suffix(1);  // which is in the plural
  throw UsageError(fmt::format("[{}] of {} {} on rank {} in superstep {}: keep the index below {}", index,
                               count, what, engine_->rank(), engine_->superstep(), count));
}

std::uint64_t Registration::bytes_at(Rank rank) const {
  engine_->transfers().check("size", {slot_, rank, 0, 0});
  const std::uint64_t bytes = engine_->slots()[slot_].bytes_at[static_cast<std::size_t>(rank)];
  if (bytes == superstep::unknown_bytes) {
    throw UsageError(
        "the size of memory on another rank is not known before the sync that follows its "
        "registration: call sync() first");
  }
  return bytes;
}

}  // namespace lbsp
