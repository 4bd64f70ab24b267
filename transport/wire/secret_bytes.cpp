#include "transport/wire/secret_bytes.hpp"

#include <mutex>
#include <new>
#include <sodium.h>
#include <sys/mman.h>
#include <vector>

namespace lbsp::transport {
namespace {

constexpr std::size_t key_bytes = SecretBytes::count;
constexpr std::size_t cipher_state_bytes = 1024;  ///< an expanded AES key and what goes with it
constexpr std::size_t slab_bytes = std::size_t{256} << 10;

/// Slots of one size on pages of their own. The pages stay for the next secrets until the process ends.
class SecretSlots {
 public:
  explicit SecretSlots(std::size_t slot_bytes) : slot_bytes_(slot_bytes) {}

  void* take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) add_slab();
    void* const slot = free_.back();
    free_.pop_back();
    return slot;
  }

  void give_back(void* slot) {
    const std::lock_guard lock(mutex_);
    free_.push_back(slot);
  }

 private:
  void add_slab() {
    void* const slab = mmap(nullptr, slab_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (slab == MAP_FAILED) throw std::bad_alloc();
    madvise(slab, slab_bytes, MADV_DONTDUMP);
    // Room for all slots, so that giving one back never has to allocate.
    free_.reserve(slots_ += slab_bytes / slot_bytes_);
    for (std::size_t offset = 0; offset < slab_bytes; offset += slot_bytes_)
      free_.push_back(static_cast<std::byte*>(slab) + offset);
  }

  std::size_t slot_bytes_;
  std::mutex mutex_;
  std::vector<void*> free_;
  std::size_t slots_ = 0;
};

/// Never destroyed: secrets with static lifetime may be given back after they would be.
SecretSlots& slots_for(std::size_t bytes) {
  static auto* const keys = new SecretSlots(key_bytes);
  static auto* const states = new SecretSlots(cipher_state_bytes);
  if (bytes > cipher_state_bytes) throw std::bad_alloc();
  return bytes <= key_bytes ? *keys : *states;
}

}  // namespace

void* allocate_secret(std::size_t bytes) {
  return slots_for(bytes).take();
}

void wipe(std::span<char> text) noexcept {
  sodium_memzero(text.data(), text.size());
}

void wipe_returned_frames() noexcept {
#if defined(__x86_64__)
  // Those that memcpy uses; the compiler keeps nothing in them here.
  if (__builtin_cpu_supports("avx")) {
    asm volatile("vzeroall" ::
                     : "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9",
                       "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  }
  if (__builtin_cpu_supports("avx512f")) {
    asm volatile(
        "vpxorq %zmm16, %zmm16, %zmm16; vpxorq %zmm17, %zmm17, %zmm17; vpxorq %zmm18, %zmm18, %zmm18;"
        "vpxorq %zmm19, %zmm19, %zmm19; vpxorq %zmm20, %zmm20, %zmm20; vpxorq %zmm21, %zmm21, %zmm21;"
        "vpxorq %zmm22, %zmm22, %zmm22; vpxorq %zmm23, %zmm23, %zmm23; vpxorq %zmm24, %zmm24, %zmm24;"
        "vpxorq %zmm25, %zmm25, %zmm25; vpxorq %zmm26, %zmm26, %zmm26; vpxorq %zmm27, %zmm27, %zmm27;"
        "vpxorq %zmm28, %zmm28, %zmm28; vpxorq %zmm29, %zmm29, %zmm29; vpxorq %zmm30, %zmm30, %zmm30;"
        "vpxorq %zmm31, %zmm31, %zmm31");
  }
#endif
  constexpr std::size_t deepest = std::size_t{64} << 10;
  sodium_stackzero(deepest);
}

void free_secret(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  sodium_memzero(memory, bytes);
  slots_for(bytes).give_back(memory);
}

}  // namespace lbsp::transport
