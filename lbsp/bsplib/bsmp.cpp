#include "lbsp/bsplib/bsmp.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>

namespace lbsp::bsplib {

Bsmp::Bsmp(World& world, const CallErrors& errors)
    : errors_(errors),
      queue_(world, superstep::SlotSpec{superstep::SlotKind::queue, 1, superstep::any_tag, {}, nullptr}) {}

void Bsmp::settle() {
  tags_.clear();
  for (const auto& message : queue_.received())
    payload_left_ += static_cast<Number>(message.values.size());
}

Number Bsmp::set_tagsize(Number bytes) {
  if (bytes < 0) errors_.refuse("bsp_set_tagsize", fmt::format("a size of {} bytes: give at least 0", bytes));
  queue_.announce_tag_bytes(static_cast<std::uint64_t>(bytes));
  return std::exchange(next_tag_, bytes);
}

void Bsmp::send(const char* call, Number pid, const void* tag, const void* payload, Number bytes) {
  errors_.check_pid(call, pid);
  if (bytes < 0) errors_.refuse(call, fmt::format("a payload of {} bytes: give at least 0", bytes));
  if (tag == nullptr && send_tag_ > 0) errors_.refuse_null(call, "tag");
  if (payload == nullptr && bytes > 0) errors_.refuse_null(call, "payload");
  queue_.send(static_cast<Rank>(pid), bytes_from(tag, send_tag_), bytes_from(payload, bytes));
}

Number Bsmp::get_tag(void* tag) {
  if (messages() == 0) return -1;
  const auto& message = first();
  if (!message.tag.empty()) {
    if (tag == nullptr) errors_.refuse_null("bsp_get_tag", "tag");
    std::memcpy(tag, message.tag.data(), message.tag.size());
  }
  return static_cast<Number>(message.values.size());
}

void Bsmp::take() {
  payload_left_ -= static_cast<Number>(first().values.size());
  ++taken_;
}

void Bsmp::move(void* payload, Number bytes) {
  constexpr const char* call = "bsp_move";
  if (bytes < 0) errors_.refuse(call, fmt::format("{} bytes: give at least 0", bytes));
  if (messages() == 0) errors_.refuse(call, "the queue is empty: ask bsp_qsize first");
  const auto& values = first().values;
  const auto copied = std::min(static_cast<std::size_t>(bytes), values.size());
  if (copied > 0) {
    if (payload == nullptr) errors_.refuse_null(call, "payload");
    std::memcpy(payload, values.data(), copied);
  }
  take();
}

std::optional<Number> Bsmp::hpmove(Views& views) {
  alignas(superstep::alignment) static const std::byte nothing[superstep::alignment] = {};
  if (messages() == 0) return std::nullopt;
  const auto& message = first();
  views.payload = message.values.empty() ? nothing : message.values.data();
  views.tag = message.tag.empty() ? nothing : message.tag.data();
  if (reinterpret_cast<std::uintptr_t>(views.tag) % superstep::alignment != 0) {
    tags_.emplace_back(message.tag.begin(), message.tag.end());
    views.tag = tags_.back().data();
  }
  take();
  return static_cast<Number>(message.values.size());
}

}  // namespace lbsp::bsplib
