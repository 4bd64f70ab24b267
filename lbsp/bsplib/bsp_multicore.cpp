// The calls of bsp.h in the face of MulticoreBSP, which the header gives the usual names.
#include <cstddef>

#include "lbsp/bsplib/face.hpp"

namespace face = lbsp::bsplib;

extern "C" {

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
  face::hpput(pid, source, destination, face::number(offset), face::number(bytes));
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
