#include "tracing/thread.h"

#include <pthread.h>
#include <unistd.h>

#include <memory>
#include <utility>

#include "base/log.h"
#include "tracing/engine.h"

namespace zetl::tracing {
namespace {

// Runs at the thread's end, before its thread_local objects of other libraries may make further calls: those get a new
// record, and the key runs again.
void detachThread(void* record) { Engine::instance().detach(static_cast<Thread*>(record)); }

/// The key whose destructor takes records back; none if the process has used up its keys, and records then stay.
const pthread_key_t* recordKey() noexcept {
    static const auto created = [] {
        pthread_key_t key{};
        return std::pair(pthread_key_create(&key, detachThread) == 0, key);
    }();
    return created.first ? &created.second : nullptr;
}

}  // namespace

Thread::Thread() noexcept : id_(gettid()) {}

Thread* Thread::attach() noexcept {
    try {
        auto record = std::make_unique<Thread>();
        Thread* thread = record.get();
        Engine::instance().attach(std::move(record));
        if (const auto* key = recordKey()) pthread_setspecific(*key, thread);
        return current_ = thread;
    } catch (const std::exception& failure) {
        log::error(log::Module::tracing, "a call is not traced: no record for thread {}: {}", gettid(), failure.what());
        return nullptr;
    }
}

void** Thread::instances(std::size_t count) noexcept {
    try {
        instances_.assign(count, nullptr);
        return instances_.data();
    } catch (const std::exception& failure) {
        log::error(log::Module::tracing, "a call is not traced: no memory for {} tracers: {}", count, failure.what());
        return nullptr;
    }
}

}  // namespace zetl::tracing
