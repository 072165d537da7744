// Finds the context that an allocation belongs to.
#pragma once

#include <memory>

#include "driver/description.h"
#include "driver/live_set.h"
#include "driver/refusal.h"

namespace zetl::driver {

/// The context whose allocation contains the pointer: `self`, or another one, which is logged as a warning. Hardware
/// drivers do not check this, so programs pass any context of the driver. Null if no context has it.
template <class Context>
std::shared_ptr<Context> holderOf(Context& self, const void* pointer) {
    if (self.usm().find(pointer)) return self.shared_from_this();
    for (const auto& other : live<Context>().all()) {
        if (!other->usm().find(pointer)) continue;
        log::warn(description().log, "{}: {} was allocated in another context; served, but name that one",
                  currentFunction(), pointer);
        return other;
    }
    return nullptr;
}

}  // namespace zetl::driver
