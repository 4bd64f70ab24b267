#include "lbsp/bsplib/drma.hpp"

#include <cstring>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "transport/error.hpp"

namespace lbsp::bsplib {

using superstep::SlotKind;

void Drma::push_reg(void* base, Number bytes) {
  constexpr const char* call = "bsp_push_reg";
  if (bytes < 0) errors_.refuse(call, fmt::format("a size of {} bytes: give at least 0", bytes));
  if (base == nullptr && bytes > 0)
    errors_.refuse(call, fmt::format("{} bytes at NULL: give an address, or 0 bytes", bytes));
  superstep::SlotSpec spec{SlotKind::memory, 1, 0, bytes_from(base, bytes), nullptr};
  spec.absent = base == nullptr;
  areas_[base].push_back(std::make_unique<BspRegistration>(world_, std::move(spec)));
  if (base == nullptr) return;
  changed_.insert(base);
  unsettled_ = true;
}

void Drma::pop_reg(const void* base) {
  const auto found = areas_.find(base);
  const std::size_t spoken_for = base == nullptr ? absent_popped_ : 0;
  if (found == areas_.end() || found->second.size() <= spoken_for) {
    errors_.refuse("bsp_pop_reg", base == nullptr
                                      ? std::string("NULL is not registered here: bsp_push_reg it first")
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

void Drma::find(const char* call, const void* base) {
  if (base == nullptr) errors_.refuse_null(call, "registered address");
  const auto found = usable_.find(base);
  if (found == usable_.end()) {
    const bool pushed = areas_.contains(base);
    errors_.refuse(
        call, fmt::format("the address {} is {}: bsp_push_reg it in an earlier superstep", base,
                          pushed ? "registered only from the next superstep on" : "not registered here"));
  }
  last_base_ = base;
  last_area_ = found->second;
  puts_ = last_area_->byte_puts();
}

void Drma::put_elsewhere(const char* call, Number pid, const void* source, const void* destination,
                         Number offset, Number bytes) {
  find(call, destination);
  put(call, pid, source, destination, offset, bytes);
}

void Drma::put_unbuffered(const char* call, Number pid, const void* source, const void* destination,
                          Number offset, Number bytes) {
  if (destination != last_base_) find(call, destination);
  if (source == nullptr) errors_.refuse_null(call, "source");
  const auto size = static_cast<std::size_t>(bytes);
  try {
    last_area_->put_unbuffered(static_cast<Rank>(pid), static_cast<std::size_t>(offset), size,
                               {static_cast<const std::byte*>(source), size});
  } catch (const UsageError&) {
    explain(call, pid, offset, bytes);
  }
}

void Drma::get(const char* call, Number pid, const void* source, Number offset, void* destination,
               Number bytes) {
  if (bytes == 0) return;
  if (source != last_base_) find(call, source);
  if (destination == nullptr) errors_.refuse_null(call, "destination");
  try {
    last_area_->get(static_cast<Rank>(pid), static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes),
                    bytes_from(destination, bytes), nullptr);
  } catch (const UsageError&) {
    explain(call, pid, offset, bytes);
  }
}

void Drma::direct_get(Number pid, const void* source, Number offset, void* destination, Number bytes) {
  constexpr const char* call = "bsp_direct_get";
  if (bytes == 0) return;
  errors_.check_pid(call, pid);
  if (source != last_base_) find(call, source);
  if (destination == nullptr) errors_.refuse_null(call, "destination");
  if (pid != rank_) {
    errors_.refuse(
        call, fmt::format("the memory of rank {} cannot be read before the sync: use bsp_get, and read after "
                          "bsp_sync",
                          pid));
  }
  const Number registered = static_cast<Number>(last_area_->bytes_at(rank_));
  if (offset < 0 || bytes < 0 || offset > registered || bytes > registered - offset)
    explain(call, pid, offset, bytes);
  std::memmove(destination, static_cast<const std::byte*>(source) + offset, static_cast<std::size_t>(bytes));
}

void Drma::explain(const char* call, Number pid, Number offset, Number bytes) const {
  errors_.check_pid(call, pid);
  errors_.refuse(
      call,
      fmt::format(
          "{} bytes at offset {}, but rank {} has registered {} bytes: keep both at least 0, and their sum "
          "within what is registered",
          bytes, offset, pid, last_area_->bytes_at(static_cast<Rank>(pid))));
}

void Drma::settle() {
  unsettled_ = false;
  close_absent();
  close_areas();
}

/// What the pops of NULL meant is known only now.
void Drma::close_absent() {
  if (absent_popped_ == 0) return;
  absent_popped_ = 0;
  auto& absent = areas_[nullptr];
  std::erase_if(absent, [](const auto& registration) { return registration->has_lapsed(); });
}

void Drma::close_areas() {
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

}  // namespace lbsp::bsplib
