#include <dlfcn.h>
#include <level_zero/layers/zel_tracing_api.h>
#include <level_zero/layers/zel_tracing_ddi.h>
#include <level_zero/layers/zel_tracing_register_cb.h>
#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <iterator>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "activity/state.h"

namespace zetl::activity {
namespace {

using State = Collector::State;
using Callback = void (*)(Arguments arguments, std::uint64_t result, void* user, void** instance);
using Register = ze_result_t (*)(zel_tracer_handle_t tracer, zel_tracer_reg_t when, Callback callback);

/// The state of this process's collector.
std::atomic<State*> current{nullptr};
/// The states of former collectors. Never freed: a forked child, or a call in progress, may still reach them.
std::atomic<State*> retired{nullptr};

void succeed(State* next) noexcept {
    State* const last = current.exchange(next);
    if (!last) return;
    last->former = retired.load();
    while (!retired.compare_exchange_weak(last->former, last)) continue;
}

/// This thread's calls are the collector's own: outside of a traced call they would be traced like the application's.
thread_local bool isOwn = false;

/// If memory runs out, a moment of the device's activity is lost, but not the application's call.
template <class Act>
void act(const Act& what) noexcept {
    auto* state = current.load(std::memory_order_acquire);
    if (!state || isOwn) return;
    try {
        what(*state);
    } catch (const std::bad_alloc&) {
    }
}

template <std::size_t N>
void enterAppend(Arguments arguments, std::uint64_t, void*, void**) noexcept {
    act([&](State& state) { state.enterAppend(kAppendFunctions[N], arguments); });
}
template <std::size_t N>
void leaveAppend(Arguments arguments, std::uint64_t result, void*, void**) noexcept {
    act([&](State& state) { state.leaveAppend(kAppendFunctions[N], arguments, static_cast<ze_result_t>(result)); });
}
template <std::size_t N>
void enterHook(Arguments arguments, std::uint64_t, void*, void**) noexcept {
    act([&](State& state) { kHooks[N].enter(state, arguments); });
}
template <std::size_t N>
void leaveHook(Arguments arguments, std::uint64_t result, void*, void**) noexcept {
    act([&](State& state) { kHooks[N].leave(state, arguments, static_cast<ze_result_t>(result)); });
}

struct Callbacks {
    Callback enter;
    Callback leave;
};

constexpr auto kAppendCallbacks = []<std::size_t... N>(std::index_sequence<N...>) {
    return std::array<Callbacks, sizeof...(N)>{Callbacks{enterAppend<N>, leaveAppend<N>}...};
}
(std::make_index_sequence<std::size(kAppendFunctions)>());

constexpr auto kHookCallbacks = []<std::size_t... N>(std::index_sequence<N...>) {
    return std::array<Callbacks, sizeof...(N)>{Callbacks{enterHook<N>, leaveHook<N>}...};
}
(std::make_index_sequence<kHookCount>());

/// If the layer is older than this file, it cannot register some functions; applications do not call those then.
void add(void* layer, zel_tracer_handle_t tracer, std::string_view function, const Callbacks& callbacks) {
    const auto name = "zelTracer" + std::string(function.substr(2)) + "RegisterCallback";
    const auto add = reinterpret_cast<Register>(dlsym(layer, name.c_str()));
    if (!add) return;
    if (callbacks.enter) add(tracer, ZEL_REGISTER_PROLOGUE, callbacks.enter);
    if (callbacks.leave) add(tracer, ZEL_REGISTER_EPILOGUE, callbacks.leave);
}

bool tracerFunctions(void* layer, zel_tracer_dditable_t& table) {
    using GetTable = ze_result_t (*)(ze_api_version_t, zel_tracer_dditable_t*);
    const auto getTable = reinterpret_cast<GetTable>(dlsym(layer, "zelGetTracerApiProcAddrTable"));
    // The table has not changed since 1.0.
    return getTable && getTable(ZE_API_VERSION_1_0, &table) == ZE_RESULT_SUCCESS;
}

zel_tracer_dditable_t tracers{};  // the layer's; written once, before `current`

zel_tracer_handle_t trace(void* layer, bool launchesOnly) {
    zel_tracer_desc_t description{ZEL_STRUCTURE_TYPE_TRACER_DESC, nullptr, nullptr};
    zel_tracer_handle_t tracer = nullptr;
    if (!tracerFunctions(layer, tracers) || tracers.pfnCreate(&description, &tracer) != ZE_RESULT_SUCCESS)
        return nullptr;
    for (std::size_t i = 0; i < std::size(kAppendFunctions); ++i)
        add(layer, tracer, kAppendFunctions[i].name, kAppendCallbacks[i]);
    for (std::size_t i = 0; i < kHookCount; ++i) {
        if (launchesOnly && kHooks[i].reason != Hook::For::launches) continue;
        add(layer, tracer, kHooks[i].function,
            {kHooks[i].enter ? kHookCallbacks[i].enter : nullptr, kHooks[i].leave ? kHookCallbacks[i].leave : nullptr});
    }
    if (tracers.pfnSetEnabled(tracer, true) == ZE_RESULT_SUCCESS) return tracer;
    tracers.pfnDestroy(tracer);
    return nullptr;
}

void beforeFork() {
    if (auto* state = current.load()) state->mutex.lock();
}
void afterForkInParent() {
    if (auto* state = current.load()) state->mutex.unlock();
}
/// The child has none of its parent's objects, and starts with the objects that it makes itself.
void afterForkInChild() {
    auto* state = current.load();
    if (!state) return;
    state->mutex.unlock();
    succeed(new (std::nothrow) State(state->calls, state->sink, state->launches, false));
}

/// The tracer; null, and the reason, if there can be none.
zel_tracer_handle_t startTracing(void* layer, Sink& sink, LaunchObserver* launches, bool late, std::string& failure) {
    static const bool forks = pthread_atfork(beforeFork, afterForkInParent, afterForkInChild) == 0;
    LevelZero calls;
    std::string missing;
    if (!forks || !calls.find(layer, missing)) {
        failure = "device activity needs " + (forks ? missing : std::string("a fork handler"));
        return nullptr;
    }
    auto state = std::make_unique<State>(calls, sink, launches, late);
    State* none = nullptr;
    if (!current.compare_exchange_strong(none, state.get())) {
        failure = "device activity is collected already in this process";
        return nullptr;
    }
    if (auto* tracer = trace(layer, launches != nullptr)) {
        static_cast<void>(state.release());
        return tracer;
    }
    current.store(nullptr);
    failure = "the tools layer refused a tracer";
    return nullptr;
}

/// For a state that measures nothing.
struct NoSpans : Sink {
    bool wanted() noexcept override { return false; }
    void took(const Span&) noexcept override {}
};

}  // namespace

std::unique_ptr<Collector> Collector::start(void* layer, Sink& sink, std::string& failure) {
    auto* const tracer = startTracing(layer, sink, nullptr, false, failure);
    return tracer ? std::unique_ptr<Collector>(new Collector(tracer)) : nullptr;
}

std::unique_ptr<Collector> Collector::startLate(void* layer, Sink& sink, std::string& failure) {
    auto* const tracer = startTracing(layer, sink, nullptr, true, failure);
    return tracer ? std::unique_ptr<Collector>(new Collector(tracer)) : nullptr;
}

bool observeLaunches(void* layer, LaunchObserver& observer, std::string& failure) {
    static auto* const none = new NoSpans;
    return startTracing(layer, *none, &observer, false, failure) != nullptr;
}

namespace {

/// A thread may be interrupted while it holds the mutex, and come to wait for itself.
std::unique_lock<std::mutex> lockSoon(std::mutex& mutex) {
    using namespace std::chrono_literals;
    std::unique_lock lock(mutex, std::try_to_lock);
    for (const auto limit = std::chrono::steady_clock::now() + 200ms;
         !lock && std::chrono::steady_clock::now() < limit;) {
        std::this_thread::sleep_for(1ms);
        lock = std::unique_lock(mutex, std::try_to_lock);
    }
    return lock;
}

template <class Read>
void readOutside(const Read& read) noexcept {
    act([&](State& state) {
        const auto guard = lockSoon(state.mutex);
        if (!guard) return;
        isOwn = true;
        read(state.objects.executions);
        isOwn = false;
    });
}

}  // namespace

Collector::Collector(void* tracer) : tracer_(tracer) {}

Collector::~Collector() {
    readLast();
    auto* tracer = static_cast<zel_tracer_handle_t>(tracer_);
    tracers.pfnSetEnabled(tracer, false);
    tracers.pfnDestroy(tracer);
    succeed(nullptr);
}

void Collector::readComplete() noexcept {
    readOutside([](Executions& executions) { executions.readAll(Executions::Extent::all); });
}

void Collector::readLast() noexcept {
    readOutside([](Executions& executions) { executions.readLast(); });
}

Missing Collector::missing() const noexcept {
    Missing known;
    act([&](State& state) {
        const std::lock_guard guard(state.mutex);
        known = state.objects.executions.missing();
    });
    return known;
}

}  // namespace zetl::activity
