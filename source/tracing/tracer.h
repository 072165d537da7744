// A tracer: user data, callbacks, and whether they run.
#pragma once

#include <array>

#include "tracing/snapshot.h"

namespace zetl::tracing {

enum class Phase { prologue, epilogue };

struct Callbacks {
    ddi::Address prologue = nullptr;
    ddi::Address epilogue = nullptr;

    explicit operator bool() const noexcept { return prologue || epilogue; }
    ddi::Address& at(Phase phase) noexcept { return phase == Phase::prologue ? prologue : epilogue; }
};

/// Guarded by the engine's lock.
struct Tracer {
    TracerId id;
    void* userData;
    bool enabled = false;
    std::array<Callbacks, ddi::kTraced> callbacks{};
};

}  // namespace zetl::tracing
