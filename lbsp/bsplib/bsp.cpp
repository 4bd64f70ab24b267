// The calls of bsp.h in the face of Oxford's BSPlib.
#include "lbsp/bsplib/bsp.h"

#include <cstdarg>
#include <cstdio>
#include <fmt/format.h>
#include <string>

#include "lbsp/bsplib/face.hpp"
#include "transport/error.hpp"

namespace lbsp::bsplib {
namespace {

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

void lbsp_verified(int right) {
  face::in_spmd("lbsp_verified", [right](face::Spmd& spmd) { spmd.world().set_verified(right != 0); });
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
  face::in_spmd("bsp_pop_reg", [&](face::Spmd& spmd) { spmd.drma().pop_reg(base); });
}

void bsp_put(int pid, const void* source, const void* destination, int offset, int bytes) {
  face::put("bsp_put", pid, source, destination, offset, bytes);
}

void bsp_hpput(int pid, const void* source, const void* destination, int offset, int bytes) {
  face::hpput(pid, source, destination, offset, bytes);
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

}  // extern "C"
