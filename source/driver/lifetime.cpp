#include "driver/lifetime.h"

#include <pthread.h>

#include <atomic>

#include "ddi/outdated_loader.h"
#include "driver/description.h"

namespace zetl::driver::lifetime {
namespace {

std::atomic<bool> isInitialised{false};
std::atomic<bool> isForkedChild{false};

}  // namespace

void initialise() noexcept {
    if (isInitialised.exchange(true)) return;
    ddi::reportOutdatedLoader(description().log);
    pthread_atfork(nullptr, nullptr, [] { isForkedChild.store(true); });
}

bool initialised() noexcept { return isInitialised.load(std::memory_order_acquire); }

bool inForkedChild() noexcept { return isForkedChild.load(std::memory_order_acquire); }

}  // namespace zetl::driver::lifetime
