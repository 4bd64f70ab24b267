#include "lbsp/bsplib/thread_end.hpp"

#include <pthread.h>

namespace lbsp::bsplib {

void at_end_of_this_thread(void (*deed)()) {
  // Values of keys are destroyed with their thread; those of C++ would be at the end of the process too.
  static void (*const at_end)() = deed;
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    ::pthread_key_create(&made, [](void*) { at_end(); });
    return made;
  }();
  static const char any_value = 0;
  ::pthread_setspecific(key, &any_value);
}

}  // namespace lbsp::bsplib
