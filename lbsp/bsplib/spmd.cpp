#include "lbsp/bsplib/spmd.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "lbsp/bsplib/wording.hpp"

namespace lbsp::bsplib {
namespace {

using superstep::SlotKind;

std::span<std::byte> bytes_from(void* base, Number bytes) {
  return {static_cast<std::byte*>(base), static_cast<std::size_t>(bytes)};
}

std::span<const std::byte> bytes_from(const void* base, Number bytes) {
  return {static_cast<const std::byte*>(base), static_cast<std::size_t>(bytes)};
}

/// The runtime's text without "the ranks disagree in superstep 3: ", which refuse() says too: what reaches
/// the other ranks is of bounded length.
std::string_view essence(std::string_view text) {
  constexpr std::string_view known = "the ranks disagree in superstep ";
  if (text.starts_with(known)) text.remove_prefix(std::min(text.find(": ") + 2, text.size()));
  return text;
}

}  // namespace

Spmd::Spmd(World& world) : world_(world), rank_(world.rank()), size_(world.size()) {
  world.speak(c_wording);
  queue_.emplace(world, superstep::SlotSpec{SlotKind::queue, 1, superstep::any_tag, {}, nullptr});
}

void Spmd::refuse(std::string_view call, std::string_view what) const {
  throw UsageError(
      fmt::format("{} on rank {} in superstep {}: {}", call, world_.rank(), world_.superstep(), what));
}

void Spmd::refuse_pid(const char* call, Number pid) const {
  refuse(call, fmt::format("there is no process {}: choose 0 to {}", pid, size_ - 1));
}

void Spmd::refuse_null(const char* call, const char* what) const {
  refuse(call, fmt::format("the {} is NULL: give an address", what));
}

void Spmd::explain(const char* call, Number pid, Number offset, Number bytes) const {
  check_pid(call, pid);
  refuse(
      call,
      fmt::format(
          "{} bytes at offset {}, but rank {} has registered {} bytes: keep both at least 0, and their sum "
          "within what is registered",
          bytes, offset, pid, last_area_->bytes_at(static_cast<Rank>(pid))));
}

void Spmd::find(const char* call, const void* base) {
  if (base == nullptr) refuse_null(call, "registered address");
  const auto found = usable_.find(base);
  if (found == usable_.end()) {
    const bool pushed = areas_.contains(base);
    refuse(call, fmt::format("the address {} is {}: bsp_push_reg it in an earlier superstep", base,
                             pushed ? "registered only from the next superstep on" : "not registered here"));
  }
  last_base_ = base;
  last_area_ = found->second;
  puts_ = last_area_->byte_puts();
}

void Spmd::refuse_sync(std::string_view call, const UsageError& error) const {
  refuse(call, essence(error.what()));
}

void Spmd::settle() {
  unsettled_ = false;
  close_absent();
  close_areas();
  tags_.clear();
  for (const auto& message : queue_->received())
    payload_left_ += static_cast<Number>(message.values.size());
}

void Spmd::end() {
  try {
    world_.finish(World::Unsynced::dropped);
  } catch (const UsageError& error) {
    refuse("bsp_end", essence(error.what()));
  }
}

/// What the pops of NULL meant is known only now.
void Spmd::close_absent() {
  if (absent_popped_ == 0) return;
  absent_popped_ = 0;
  auto& absent = areas_[nullptr];
  std::erase_if(absent, [](const auto& registration) { return registration->has_lapsed(); });
}

void Spmd::close_areas() {
  if (changed_.empty()) return;
  for (const void* const base : changed_) {
    const auto found = areas_.find(base);
    if (found != areas_.end() && !found->second.empty()) {
      usable_[base] = found->second.back().get();
    } else {
      areas_.erase(base);
      usable_.erase(base);
    }
  }
  changed_.clear();
  popped_.clear();
  last_base_ = this;
}

void Spmd::push_reg(void* base, Number bytes) {
  constexpr const char* call = "bsp_push_reg";
  if (bytes < 0) refuse(call, fmt::format("a size of {} bytes: give at least 0", bytes));
  if (base == nullptr && bytes > 0)
    refuse(call, fmt::format("{} bytes at NULL: give an address, or 0 bytes", bytes));
  superstep::SlotSpec spec{SlotKind::memory, 1, 0, bytes_from(base, bytes), nullptr};
  spec.absent = base == nullptr;
  areas_[base].push_back(std::make_unique<BspRegistration>(world_, std::move(spec)));
  if (base == nullptr) return;
  changed_.insert(base);
  unsettled_ = true;
}

void Spmd::pop_reg(const void* base) {
  const auto found = areas_.find(base);
  const std::size_t spoken_for = base == nullptr ? absent_popped_ : 0;
  if (found == areas_.end() || found->second.size() <= spoken_for) {
    refuse("bsp_pop_reg", base == nullptr ? std::string("NULL is not registered here: bsp_push_reg it first")
                                          : fmt::format("the address {} is not registered here", base));
  }
  unsettled_ = true;
  if (base == nullptr) {
    ++absent_popped_;
    return BspRegistration::release_absent(world_);
  }
  found->second.back()->release();
  popped_.push_back(std::move(found->second.back()));
  found->second.pop_back();
  if (found->second.empty()) areas_.erase(found);
  changed_.insert(base);
}

void Spmd::put_elsewhere(const char* call, Number pid, const void* source, const void* destination,
                         Number offset, Number bytes) {
  find(call, destination);
  put(call, pid, source, destination, offset, bytes);
}

void Spmd::get(const char* call, Number pid, const void* source, Number offset, void* destination,
               Number bytes) {
  if (bytes == 0) return;
  if (source != last_base_) find(call, source);
  if (destination == nullptr) refuse_null(call, "destination");
  try {
    last_area_->get(static_cast<Rank>(pid), static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes),
                    bytes_from(destination, bytes), nullptr);
  } catch (const UsageError&) {
    explain(call, pid, offset, bytes);
  }
}

void Spmd::direct_get(Number pid, const void* source, Number offset, void* destination, Number bytes) {
  constexpr const char* call = "bsp_direct_get";
  if (bytes == 0) return;
  check_pid(call, pid);
  if (source != last_base_) find(call, source);
  if (destination == nullptr) refuse_null(call, "destination");
  if (pid != rank_) {
    refuse(call,
           fmt::format("the memory of rank {} cannot be read before the sync: use bsp_get, and read after "
                       "bsp_sync",
                       pid));
  }
  const Number registered = static_cast<Number>(last_area_->bytes_at(rank_));
  if (offset < 0 || bytes < 0 || offset > registered || bytes > registered - offset)
    explain(call, pid, offset, bytes);
  std::memmove(destination, static_cast<const std::byte*>(source) + offset, static_cast<std::size_t>(bytes));
}

Number Spmd::set_tagsize(Number bytes) {
  if (bytes < 0) refuse("bsp_set_tagsize", fmt::format("a size of {} bytes: give at least 0", bytes));
  queue_->announce_tag_bytes(static_cast<std::uint64_t>(bytes));
  return std::exchange(next_tag_, bytes);
}

void Spmd::send(const char* call, Number pid, const void* tag, const void* payload, Number bytes) {
  check_pid(call, pid);
  if (bytes < 0) refuse(call, fmt::format("a payload of {} bytes: give at least 0", bytes));
  if (tag == nullptr && send_tag_ > 0) refuse_null(call, "tag");
  if (payload == nullptr && bytes > 0) refuse_null(call, "payload");
  queue_->send(static_cast<Rank>(pid), bytes_from(tag, send_tag_), bytes_from(payload, bytes));
}

Number Spmd::get_tag(void* tag) {
  if (messages() == 0) return -1;
  const auto& message = first();
  if (!message.tag.empty()) {
    if (tag == nullptr) refuse_null("bsp_get_tag", "tag");
    std::memcpy(tag, message.tag.data(), message.tag.size());
  }
  return static_cast<Number>(message.values.size());
}

void Spmd::take() {
  payload_left_ -= static_cast<Number>(first().values.size());
  ++taken_;
}

void Spmd::move(void* payload, Number bytes) {
  constexpr const char* call = "bsp_move";
  if (bytes < 0) refuse(call, fmt::format("{} bytes: give at least 0", bytes));
  if (messages() == 0) refuse(call, "the queue is empty: ask bsp_qsize first");
  const auto& values = first().values;
  const auto copied = std::min(static_cast<std::size_t>(bytes), values.size());
  if (copied > 0) {
    if (payload == nullptr) refuse_null(call, "payload");
    std::memcpy(payload, values.data(), copied);
  }
  take();
}

std::optional<Number> Spmd::hpmove(Views& views) {
  alignas(superstep::alignment) static const std::byte nothing[superstep::alignment] = {};
  if (messages() == 0) return std::nullopt;
  const auto& message = first();
  views.payload = message.values.empty() ? nothing : message.values.data();
  views.tag = message.tag.empty() ? nothing : message.tag.data();
  if (reinterpret_cast<std::uintptr_t>(views.tag) % superstep::alignment != 0) {
    unsettled_ = true;
    tags_.emplace_back(message.tag.begin(), message.tag.end());
    views.tag = tags_.back().data();
  }
  take();
  return static_cast<Number>(message.values.size());
}

}  // namespace lbsp::bsplib
