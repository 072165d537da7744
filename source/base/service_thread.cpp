#include "base/service_thread.h"

#include <sys/prctl.h>

#include <cerrno>
#include <cstring>
#include <exception>

#include "base/protection_keys.h"
#include "base/signals_blocked.h"

namespace zetl {

void* ServiceThread::enter(void* argument) noexcept {
    const std::unique_ptr<Body> body(static_cast<Body*>(argument));
    prctl(PR_SET_NAME, body->name);
    if (ProtectionKey::anyTaken()) ProtectionKey::allowAll();
    try {
        body->run();
    } catch (const std::exception& failure) {
        log::error(body->channel, "thread {} ended early: {}", body->name, failure.what());
    }
    return nullptr;
}

std::optional<ServiceThread> ServiceThread::launch(std::unique_ptr<Body> body, log::Channel channel,
                                                   const char* name) noexcept {
    pthread_t thread{};
    pthread_attr_t attributes;
    int failure = body ? pthread_attr_init(&attributes) : ENOMEM;
    if (failure == 0) {
        const SignalsBlocked blocked;
        failure = pthread_attr_setstacksize(&attributes, kStackBytes);
        if (failure == 0) failure = pthread_create(&thread, &attributes, &enter, body.get());
        pthread_attr_destroy(&attributes);
    }
    if (failure == 0) {
        static_cast<void>(body.release());  // owned by its thread from now on
        return ServiceThread(thread);
    }
    log::error(channel,
               "no thread {} can be started ({}); raise the limits on processes (ulimit -u) and memory (ulimit -v), "
               "and let a sandbox allow clone",
               name, std::strerror(failure));
    return std::nullopt;
}

}  // namespace zetl
