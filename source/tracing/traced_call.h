// A call with callbacks around it: prologues, the function, epilogues.
#pragma once

#include <cstddef>
#include <type_traits>

#include "tracing/thread.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::tracing {

/// The signature of every callback (Tools Programming Guide, "API Tracing"). `parameters` points at a block with the
/// addresses of the call's arguments; the specific callback types give this block a more precise type.
template <class R>
using Callback = void(ZE_APICALL*)(void* parameters, R result, void* userData, void** instanceData);

/// Ends the thread's call in all cases: by return, by exception, or by the thread's own end inside a callback.
class CallScope {
  public:
    explicit CallScope(Thread& thread) noexcept : thread_(thread) {}
    CallScope(const CallScope&) = delete;
    CallScope& operator=(const CallScope&) = delete;
    ~CallScope() { thread_.unpin(); }

  private:
    Thread& thread_;
};

/// The instance data of a call with several subscriptions: one pointer per subscription.
class Instances {
  public:
    Instances(Thread& thread, std::size_t count) noexcept
        : data_(count <= kInline ? inline_ : thread.instances(count)) {}
    Instances(const Instances&) = delete;
    Instances& operator=(const Instances&) = delete;

    explicit operator bool() const noexcept { return data_ != nullptr; }
    void** begin() const noexcept { return data_; }

  private:
    static constexpr std::size_t kInline = 8;
    void* inline_[kInline];
    void** data_;
};

/// A call with callbacks around it. Prologues see success (or zero, for a function that returns something else);
/// epilogues see the result of the call, or what an earlier epilogue replaced it with. `parameters` are the addresses
/// of the call's arguments; `call` makes the call with the values that the prologues left there. The compiler inlines
/// all of it into one function per traced function, because a call with one tracer must cost little more than its two
/// callbacks.
template <class R, class Call>
[[gnu::always_inline]] inline R callWithOne(Thread& thread, const Subscription& only, void** parameters, Call&& call) {
    void* instance = nullptr;
    if (only.prologue) reinterpret_cast<Callback<R>>(only.prologue)(parameters, R{}, only.userData, &instance);
    R result = call();
    if constexpr (std::is_same_v<R, ze_result_t>) thread.exposeResult(&result);
    if (only.epilogue) reinterpret_cast<Callback<R>>(only.epilogue)(parameters, result, only.userData, &instance);
    return result;
}

template <class R, class Call>
[[gnu::always_inline]] inline R callWithMany(Thread& thread, const Snapshot& snapshot, void** parameters, Call&& call) {
    const auto& subscriptions = snapshot.subscriptions;
    const Instances instances(thread, subscriptions.size());
    if (!instances) return call();
    void** instance = instances.begin();
    for (const auto& each : subscriptions) {
        *instance = nullptr;
        if (each.prologue) reinterpret_cast<Callback<R>>(each.prologue)(parameters, R{}, each.userData, instance);
        ++instance;
    }
    R result = call();
    if constexpr (std::is_same_v<R, ze_result_t>) thread.exposeResult(&result);
    instance = instances.begin();
    for (const auto& each : subscriptions) {
        if (each.epilogue) reinterpret_cast<Callback<R>>(each.epilogue)(parameters, result, each.userData, instance);
        ++instance;
    }
    return result;
}

/// Calls `target`. The call is traced if a tracer listens to F and this thread is not inside a traced call already. A
/// call inside a traced call is a tool's, and goes to `own`.
template <ddi::Function F, class R, class... A>
[[gnu::always_inline]] inline R callObserved(R(ZE_APICALL* target)(A...), R(ZE_APICALL* own)(A...), A&... arguments) {
    Thread* thread = Thread::current();
    if (!thread) return target(arguments...);
    if (thread->insideCall()) return own(arguments...);
    const Snapshot* snapshot = thread->pin(published[ddi::index(F)]);
    if (!snapshot) return target(arguments...);

    const CallScope scope(*thread);
    // One more element than needed: a function without arguments has an empty block, but an array cannot be empty.
    void* parameters[sizeof...(A) + 1] = {&arguments...};
    const auto call = [&] { return target(arguments...); };
    if (snapshot->subscriptions.size() == 1) [[likely]]
        return callWithOne<R>(*thread, snapshot->subscriptions.front(), parameters, call);
    return callWithMany<R>(*thread, *snapshot, parameters, call);
}

/// The detour of each traced function: its route leads there while a tracer listens.
extern const ddi::Address kDetours[ddi::kTraced];

}  // namespace zetl::tracing
