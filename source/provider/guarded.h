// The boundary of an interface function: no exception may be thrown through C.
#pragma once

#include <ze_tools_layer/device_access.h>

#include <exception>
#include <new>

#include "base/log.h"

namespace zetl::provider {

/// Runs the body. Exceptions are logged on the provider's channel.
template <class F>
zetl_status_t guarded(log::Channel channel, F&& body) noexcept {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        log::error(channel, "device access: the host has no memory for this");
        return ZETL_NO_MEMORY;
    } catch (const std::exception& failure) {
        log::error(channel, "device access: {}", failure.what());
        return ZETL_LOST;
    }
}

}  // namespace zetl::provider
