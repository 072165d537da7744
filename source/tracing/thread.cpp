#include "tracing/thread.h"

#include <pthread.h>
#include <unistd.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/log.h"
#include "tracing/engine.h"

namespace zetl::tracing {
namespace {

// Runs at the thread's end. Thread_local objects of other libraries may make further calls afterwards: those get a new
// record, and the key runs again.
void detachThread(void* record) { Engine::instance().detach(static_cast<Thread*>(record)); }

/// The key whose destructor takes records back. If the process has used up its keys there is none, and records stay.
/// Made when the library is loaded, so that a fork does not meet it half made.
const std::optional<pthread_key_t> recordKey = [] {
    pthread_key_t key{};
    return pthread_key_create(&key, detachThread) == 0 ? std::optional(key) : std::nullopt;
}();

}  // namespace

Thread::Thread() noexcept : id_(gettid()) {}

Thread* Thread::attach() noexcept {
    try {
        auto record = std::make_unique<Thread>();
        Thread* thread = record.get();
        Engine::instance().attach(std::move(record));
        if (recordKey) pthread_setspecific(*recordKey, thread);
        return current_ = thread;
    } catch (const std::exception& failure) {
        log::error(log::Channel::tracing, "a call is not traced: no record for thread {}: {}", gettid(),
                   failure.what());
        return nullptr;
    }
}

void** Thread::instances(std::size_t count) noexcept {
    try {
        instances_.assign(count, nullptr);
        return instances_.data();
    } catch (const std::exception& failure) {
        log::error(log::Channel::tracing, "a call is not traced: no memory for {} tracers: {}", count, failure.what());
        return nullptr;
    }
}

}  // namespace zetl::tracing
