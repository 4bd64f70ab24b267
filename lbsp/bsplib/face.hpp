#pragma once

#include <concepts>
#include <cstdint>
#include <fmt/format.h>
#include <limits>

#include "lbsp/bsplib/calls.hpp"

/// The calls of bsp.h, as both of its faces make them. The faces differ only in the types at the border.
namespace lbsp::bsplib {

/// A size too large for any memory becomes negative, which the checks refuse.
template <std::integral Integer>
Number number(Integer value) {
  return static_cast<Number>(value);
}

template <std::integral Integer>
Integer narrow(const Spmd& spmd, const char* call, Number value) {
  if (value > 0 &&
      static_cast<std::uint64_t>(value) > static_cast<std::uint64_t>(std::numeric_limits<Integer>::max())) {
    spmd.refuse(
        call, fmt::format("the answer {} is more than its type holds: use the face of MulticoreBSP", value));
  }
  return static_cast<Integer>(value);
}

template <class Size>
void set_tagsize(Size* bytes) {
  constexpr const char* call = "bsp_set_tagsize";
  in_spmd(call, [&](Spmd& spmd) {
    if (bytes == nullptr) spmd.refuse(call, "the address of the size is NULL");
    *bytes = static_cast<Size>(spmd.bsmp().set_tagsize(number(*bytes)));
  });
}

template <class Count, class Size>
void qsize(Count* messages, Size* bytes) {
  constexpr const char* call = "bsp_qsize";
  in_spmd(call, [&](Spmd& spmd) {
    if (messages != nullptr) *messages = narrow<Count>(spmd, call, spmd.bsmp().messages());
    if (bytes != nullptr) *bytes = narrow<Size>(spmd, call, spmd.bsmp().payload_bytes());
  });
}

template <class Size>
void get_tag(Size* status, void* tag) {
  constexpr const char* call = "bsp_get_tag";
  in_spmd(call, [&](Spmd& spmd) {
    if (status == nullptr) spmd.refuse(call, "the address of the status is NULL");
    *status = narrow<Size>(spmd, call, spmd.bsmp().get_tag(tag));
  });
}

template <class Size>
Size hpmove(void** tag, void** payload) {
  constexpr const char* call = "bsp_hpmove";
  return in_spmd(call, [&](Spmd& spmd) {
    if (tag == nullptr || payload == nullptr) spmd.refuse(call, "an address for a pointer is NULL");
    Views views{};
    const auto bytes = spmd.bsmp().hpmove(views);
    if (!bytes) return static_cast<Size>(-1);
    *tag = const_cast<void*>(views.tag);
    *payload = const_cast<void*>(views.payload);
    return narrow<Size>(spmd, call, *bytes);
  });
}

inline void put(const char* call, Number pid, const void* source, const void* destination, Number offset,
                Number bytes) {
  in_spmd(call, [&](Spmd& spmd) { spmd.drma().put(call, pid, source, destination, offset, bytes); });
}

inline void hpput(Number pid, const void* source, const void* destination, Number offset, Number bytes) {
  constexpr const char* call = "bsp_hpput";
  in_spmd(call, [&](Spmd& spmd) { spmd.drma().hpput(call, pid, source, destination, offset, bytes); });
}

inline void get(const char* call, Number pid, const void* source, Number offset, void* destination,
                Number bytes) {
  in_spmd(call, [&](Spmd& spmd) { spmd.drma().get(call, pid, source, offset, destination, bytes); });
}

inline void direct_get(Number pid, const void* source, Number offset, void* destination, Number bytes) {
  in_spmd("bsp_direct_get",
          [&](Spmd& spmd) { spmd.drma().direct_get(pid, source, offset, destination, bytes); });
}

inline void send(const char* call, Number pid, const void* tag, const void* payload, Number bytes) {
  in_spmd(call, [&](Spmd& spmd) { spmd.bsmp().send(call, pid, tag, payload, bytes); });
}

inline void move(void* payload, Number bytes) {
  in_spmd("bsp_move", [&](Spmd& spmd) { spmd.bsmp().move(payload, bytes); });
}

inline Rank pid() {
  return in_spmd("bsp_pid", [](Spmd& spmd) { return spmd.rank(); });
}

inline void push_reg(const void* base, Number bytes) {
  // Others may write there: that is what a registration is for.
  in_spmd("bsp_push_reg", [&](Spmd& spmd) { spmd.drma().push_reg(const_cast<void*>(base), bytes); });
}

}  // namespace lbsp::bsplib
