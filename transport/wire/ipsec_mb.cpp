#include "transport/wire/ipsec_mb.hpp"

#if defined(__x86_64__) && __has_include(<intel-ipsec-mb.h>)
#include <dlfcn.h>
#include <intel-ipsec-mb.h>

#include "transport/wire/format.hpp"

namespace lbsp::transport {
namespace {

static_assert(sizeof(gcm_key_data) <= IpsecMb::state_bytes &&
              alignof(gcm_key_data) <= IpsecMb::state_alignment);

/// The library's functions for this processor. They need no manager once they are chosen.
struct Functions {
  aes_gcm_pre_t expand = nullptr;
  aes_gcm_enc_dec_t encrypt = nullptr;
  aes_gcm_enc_dec_t decrypt = nullptr;
};

template <class Function>
Function* symbol(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

/// The library asks the processor only, and would use instructions that the system or a hypervisor has switched off.
const char* initializer() {
  if (__builtin_cpu_supports("avx512f")) return "init_mb_mgr_avx512";
  if (__builtin_cpu_supports("avx2")) return "init_mb_mgr_avx2";
  return "init_mb_mgr_sse";
}

Functions load() {
  void* const library = ::dlopen("libIPSec_MB.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {};
  auto* const make = symbol<decltype(alloc_mb_mgr)>(library, "alloc_mb_mgr");
  auto* const free = symbol<decltype(free_mb_mgr)>(library, "free_mb_mgr");
  auto* const initialize = symbol<decltype(init_mb_mgr_sse)>(library, initializer());
  if (make == nullptr || free == nullptr || initialize == nullptr) return {};
  IMB_MGR* const manager = make(0);
  if (manager == nullptr) return {};
  initialize(manager);
  const Functions functions{manager->gcm256_pre, manager->gcm256_enc, manager->gcm256_dec};
  free(manager);
  return functions;
}

/// Set by IpsecMb::find(), which whoever calls them has called before.
Functions functions;

void expand(const std::uint8_t* key, void* state) {
  functions.expand(key, static_cast<gcm_key_data*>(state));
}

template <aes_gcm_enc_dec_t Functions::*function>
void apply(const void* state, const std::uint8_t* nonce, std::span<const std::byte> header,
           std::span<std::byte> body, std::uint8_t* tag) {
  gcm_context_data context;
  auto* const bytes = reinterpret_cast<std::uint8_t*>(body.data());
  (functions.*function)(static_cast<const gcm_key_data*>(state), &context, bytes, bytes, body.size(), nonce,
                        reinterpret_cast<const std::uint8_t*>(header.data()), header.size(), tag, tag_bytes);
}

constexpr IpsecMb library{&expand, &apply<&Functions::encrypt>, &apply<&Functions::decrypt>};

}  // namespace

const IpsecMb* IpsecMb::find() {
  const bool instructions = __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
  static const bool loaded = instructions && (functions = load()).encrypt != nullptr;
  return loaded ? &library : nullptr;
}

}  // namespace lbsp::transport

#else

namespace lbsp::transport {

const IpsecMb* IpsecMb::find() {
  return nullptr;
}

}  // namespace lbsp::transport

#endif
