// The calls of bsp.h in both faces: what differs between them are the types at the border.
#include "lbsp/bsplib/bsp.h"

#include <concepts>
#include <cstdarg>
#include <cstdio>
#include <fmt/format.h>
#include <limits>
#include <string>

#include "lbsp/bsplib/calls.hpp"
#include "transport/error.hpp"

namespace lbsp::bsplib {
namespace {

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
    *bytes = static_cast<Size>(spmd.set_tagsize(number(*bytes)));
  });
}

template <class Count, class Size>
void qsize(Count* messages, Size* bytes) {
  constexpr const char* call = "bsp_qsize";
  in_spmd(call, [&](Spmd& spmd) {
    if (messages != nullptr) *messages = narrow<Count>(spmd, call, spmd.messages());
    if (bytes != nullptr) *bytes = narrow<Size>(spmd, call, spmd.payload_bytes());
  });
}

template <class Size>
void get_tag(Size* status, void* tag) {
  constexpr const char* call = "bsp_get_tag";
  in_spmd(call, [&](Spmd& spmd) {
    if (status == nullptr) spmd.refuse(call, "the address of the status is NULL");
    *status = narrow<Size>(spmd, call, spmd.get_tag(tag));
  });
}

template <class Size>
Size hpmove(void** tag, void** payload) {
  constexpr const char* call = "bsp_hpmove";
  return in_spmd(call, [&](Spmd& spmd) {
    if (tag == nullptr || payload == nullptr) spmd.refuse(call, "an address for a pointer is NULL");
    Views views{};
    const auto bytes = spmd.hpmove(views);
    if (!bytes) return static_cast<Size>(-1);
    *tag = const_cast<void*>(views.tag);
    *payload = const_cast<void*>(views.payload);
    return narrow<Size>(spmd, call, *bytes);
  });
}

void put(const char* call, Number pid, const void* source, const void* destination, Number offset,
         Number bytes) {
  in_spmd(call, [&](Spmd& spmd) { spmd.put(call, pid, source, destination, offset, bytes); });
}

void get(const char* call, Number pid, const void* source, Number offset, void* destination, Number bytes) {
  in_spmd(call, [&](Spmd& spmd) { spmd.get(call, pid, source, offset, destination, bytes); });
}

void direct_get(Number pid, const void* source, Number offset, void* destination, Number bytes) {
  in_spmd("bsp_direct_get", [&](Spmd& spmd) { spmd.direct_get(pid, source, offset, destination, bytes); });
}

void send(const char* call, Number pid, const void* tag, const void* payload, Number bytes) {
  in_spmd(call, [&](Spmd& spmd) { spmd.send(call, pid, tag, payload, bytes); });
}

void move(void* payload, Number bytes) {
  in_spmd("bsp_move", [&](Spmd& spmd) { spmd.move(payload, bytes); });
}

Rank pid() {
  return in_spmd("bsp_pid", [](Spmd& spmd) { return spmd.rank(); });
}

void push_reg(const void* base, Number bytes) {
  // Others may write there: that is what a registration is for.
  in_spmd("bsp_push_reg", [&](Spmd& spmd) { spmd.push_reg(const_cast<void*>(base), bytes); });
}

std::string formatted(const char* format, std::va_list arguments) {
  if (format == nullptr) return "no message";
  std::va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  std::string text(length > 0 ? static_cast<std::size_t>(length) : 0, '\0');
  if (length > 0) std::vsnprintf(text.data(), text.size() + 1, format, arguments);
  while (!text.empty() && text.back() == '\n')
    text.pop_back();
  return text;
}

[[noreturn]] void abort_with(const char* format, std::va_list arguments) {
  try {
    // In this order: where it is called may have to be asked of the launcher first.
    const std::string where = whereabouts();
    throw Error(fmt::format("bsp_abort {}: {}{}", where, formatted(format, arguments),
                            Process::instance().advice_on_input()));
  } catch (...) {
    end_with_error();
  }
}

}  // namespace
}  // namespace lbsp::bsplib

namespace face = lbsp::bsplib;

extern "C" {

void bsp_init(void (*spmd)(void), int, char**) {
  face::Process::instance().init(spmd);
}

void bsp_begin(int processes) {
  face::Process::instance().begin(processes);
}

void bsp_end(void) {
  face::in_spmd("bsp_end", [](face::Spmd&) { face::Process::instance().end(); });
}

int bsp_nprocs(void) {
  return static_cast<int>(face::number_of_processes());
}

int bsp_pid(void) {
  return face::pid();
}

double bsp_time(void) {
  return face::in_spmd("bsp_time", [](face::Spmd& spmd) { return spmd.world().time().count(); });
}

void bsp_sync(void) {
  face::in_spmd("bsp_sync", [](face::Spmd& spmd) { spmd.sync(); });
}

void bsp_abort(const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  face::abort_with(format, arguments);
}

void bsp_vabort(const char* format, va_list arguments) {
  face::abort_with(format, arguments);
}

void bsp_abort_va(const char* format, va_list arguments) {
  face::abort_with(format, arguments);
}

void bsp_push_reg(const void* base, int bytes) {
  face::push_reg(base, bytes);
}

void bsp_pop_reg(const void* base) {
  face::in_spmd("bsp_pop_reg", [&](face::Spmd& spmd) { spmd.pop_reg(base); });
}

void bsp_put(int pid, const void* source, const void* destination, int offset, int bytes) {
  face::put("bsp_put", pid, source, destination, offset, bytes);
}

void bsp_hpput(int pid, const void* source, const void* destination, int offset, int bytes) {
  face::put("bsp_hpput", pid, source, destination, offset, bytes);
}

void bsp_get(int pid, const void* source, int offset, void* destination, int bytes) {
  face::get("bsp_get", pid, source, offset, destination, bytes);
}

void bsp_hpget(int pid, const void* source, int offset, void* destination, int bytes) {
  face::get("bsp_hpget", pid, source, offset, destination, bytes);
}

void bsp_direct_get(int pid, const void* source, int offset, void* destination, int bytes) {
  face::direct_get(pid, source, offset, destination, bytes);
}

void bsp_set_tagsize(int* bytes) {
  face::set_tagsize(bytes);
}

void bsp_send(int pid, const void* tag, const void* payload, int bytes) {
  face::send("bsp_send", pid, tag, payload, bytes);
}

void bsp_hpsend(int pid, const void* tag, const void* payload, int bytes) {
  face::send("bsp_hpsend", pid, tag, payload, bytes);
}

void bsp_qsize(int* messages, int* bytes) {
  face::qsize(messages, bytes);
}

void bsp_get_tag(int* status, void* tag) {
  face::get_tag(status, tag);
}

void bsp_move(void* payload, int bytes) {
  face::move(payload, bytes);
}

int bsp_hpmove(void** tag, void** payload) {
  return face::hpmove<int>(tag, payload);
}

// What bsp.h calls by the names above in the face of MulticoreBSP.

void lbsp_multicore_begin(unsigned processes) {
  face::Process::instance().begin(processes);
}

unsigned lbsp_multicore_nprocs(void) {
  return static_cast<unsigned>(face::number_of_processes());
}

unsigned lbsp_multicore_pid(void) {
  return static_cast<unsigned>(face::pid());
}

void lbsp_multicore_push_reg(const void* base, std::size_t bytes) {
  face::push_reg(base, face::number(bytes));
}

void lbsp_multicore_put(unsigned pid, const void* source, const void* destination, std::size_t offset,
                        std::size_t bytes) {
  face::put("bsp_put", pid, source, destination, face::number(offset), face::number(bytes));
}

void lbsp_multicore_hpput(unsigned pid, const void* source, const void* destination, std::size_t offset,
                          std::size_t bytes) {
  face::put("bsp_hpput", pid, source, destination, face::number(offset), face::number(bytes));
}

void lbsp_multicore_get(unsigned pid, const void* source, std::size_t offset, void* destination,
                        std::size_t bytes) {
  face::get("bsp_get", pid, source, face::number(offset), destination, face::number(bytes));
}

void lbsp_multicore_hpget(unsigned pid, const void* source, std::size_t offset, void* destination,
                          std::size_t bytes) {
  face::get("bsp_hpget", pid, source, face::number(offset), destination, face::number(bytes));
}

void lbsp_multicore_direct_get(unsigned pid, const void* source, std::size_t offset, void* destination,
                               std::size_t bytes) {
  face::direct_get(pid, source, face::number(offset), destination, face::number(bytes));
}

void lbsp_multicore_set_tagsize(std::size_t* bytes) {
  face::set_tagsize(bytes);
}

void lbsp_multicore_send(unsigned pid, const void* tag, const void* payload, std::size_t bytes) {
  face::send("bsp_send", pid, tag, payload, face::number(bytes));
}

void lbsp_multicore_hpsend(unsigned pid, const void* tag, const void* payload, std::size_t bytes) {
  face::send("bsp_hpsend", pid, tag, payload, face::number(bytes));
}

void lbsp_multicore_qsize(unsigned* messages, std::size_t* bytes) {
  face::qsize(messages, bytes);
}

void lbsp_multicore_get_tag(std::size_t* status, void* tag) {
  face::get_tag(status, tag);
}

void lbsp_multicore_move(void* payload, std::size_t bytes) {
  face::move(payload, face::number(bytes));
}

std::size_t lbsp_multicore_hpmove(void** tag, void** payload) {
  return face::hpmove<std::size_t>(tag, payload);
}

}  // extern "C"
