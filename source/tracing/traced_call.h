// A call with callbacks around it: prologues, the function, epilogues.
#pragma once

#include <cstddef>
#include <type_traits>

#include "tracing/thread.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::tracing {

/// The shape of every callback (Tools Programming Guide, "API Tracing"). `parameters` points at the block of addresses of
/// the call's arguments, which all callback types name more precisely.
template <class R>
using Callback = void(ZE_APICALL*)(void* parameters, R result, void* userData, void** instanceData);

/// Ends the thread's call however it ends: by return, by exception, or by the thread's own end inside a callback.
class CallScope {
  public:
    explicit CallScope(Thread& thread) noexcept : thread_(thread) {}
    CallScope(const CallScope&) = delete;
    CallScope& operator=(const CallScope&) = delete;
    ~CallScope() { thread_.unpin(); }

  private:
    Thread& thread_;
};

/// The instance data of a call: one pointer a subscription, null before the prologue.
class Instances {
  public:
    Instances(Thread& thread, std::size_t count) noexcept
        : data_(count <= kInline ? inline_ : thread.instances(count)) {
        if (count <= kInline)
            for (std::size_t i = 0; i < count; ++i) inline_[i] = nullptr;
    }
    Instances(const Instances&) = delete;
    Instances& operator=(const Instances&) = delete;

    explicit operator bool() const noexcept { return data_ != nullptr; }
    void** operator[](std::size_t i) const noexcept { return data_ + i; }

  private:
    static constexpr std::size_t kInline = 8;
    void* inline_[kInline];
    void** data_;
};

/// Calls `target` with the callbacks of `snapshot`, which the thread has pinned. Prologues see success (or zero, for a
/// function that returns something else), epilogues what the call returned or an earlier epilogue made of it.
template <class R, class... A>
R callTraced(Thread& thread, const Snapshot& snapshot, R(ZE_APICALL* target)(A...), A&... arguments) {
    const CallScope scope(thread);
    const auto& subscriptions = snapshot.subscriptions;
    const Instances instances(thread, subscriptions.size());
    if (!instances) return target(arguments...);
    // One more element than needed: a function without arguments has an empty block, an array cannot be empty.
    void* parameters[sizeof...(A) + 1] = {&arguments...};

    std::size_t i = 0;
    for (const auto& each : subscriptions) {
        if (each.prologue) reinterpret_cast<Callback<R>>(each.prologue)(parameters, R{}, each.userData, instances[i]);
        ++i;
    }
    R result = target(arguments...);
    if constexpr (std::is_same_v<R, ze_result_t>) thread.exposeResult(&result);
    i = 0;
    for (const auto& each : subscriptions) {
        if (each.epilogue) reinterpret_cast<Callback<R>>(each.epilogue)(parameters, result, each.userData, instances[i]);
        ++i;
    }
    return result;
}

/// Calls `target`, traced if somebody listens to F and this thread is not inside a traced call already.
template <ddi::Function F, class R, class... A>
R callObserved(R(ZE_APICALL* target)(A...), A... arguments) {
    Thread* thread = Thread::current();
    if (!thread || thread->insideCall()) return target(arguments...);
    const Snapshot* snapshot = thread->pin(published[ddi::index(F)]);
    if (!snapshot) return target(arguments...);
    return callTraced<R, A...>(*thread, *snapshot, target, arguments...);
}

/// The detour of each traced function: what its route leads to while somebody listens.
extern const ddi::Address kDetours[ddi::kTraced];

}  // namespace zetl::tracing
