#include "fuzz/tracer_api/sequence.h"

#include <level_zero/ze_ddi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ze_tools_layer/level_zero.h"

namespace zetl::test {
namespace {

constexpr int kFunctions = 3;  // CommandList's AppendBarrier, Reset, Close
constexpr int kMaxTracers = 12;
constexpr int kMaxDepth = 4;

using Callback = void (*)(void*, ze_result_t, void*, void**);

struct Tracer {
    zel_tracer_handle_t handle = nullptr;
    bool alive = false;
    bool enabled = false;
    std::array<std::array<bool, 2>, kFunctions> callbacks{};  // by function, prologue and epilogue

    bool listens(int function) const { return callbacks[function][0] || callbacks[function][1]; }
};

struct Thrown {};

void demand(bool held, const char* what, unsigned got = 0, unsigned wanted = 0) {
    if (held) return;
    std::fprintf(stderr, "tracer API: %s (got %#x, wanted %#x)\n", what, got, wanted);
    std::abort();
}
void demandCode(const char* function, ze_result_t got, ze_result_t wanted) {
    demand(got == wanted, function, static_cast<unsigned>(got), static_cast<unsigned>(wanted));
}

ze_result_t driverResult = ZE_RESULT_SUCCESS;

/// The layer's own table entries, above driver functions that do nothing.
const ze_command_list_dditable_t& table() {
    static const ze_command_list_dditable_t filled = [] {
        ze_command_list_dditable_t entries{};
        entries.pfnAppendBarrier = [](ze_command_list_handle_t, ze_event_handle_t, std::uint32_t, ze_event_handle_t*) {
            return driverResult;
        };
        entries.pfnReset = entries.pfnClose = [](ze_command_list_handle_t) { return driverResult; };
        demandCode("zeGetCommandListProcAddrTable", zeGetCommandListProcAddrTable(ZE_API_VERSION_CURRENT, &entries),
                   ZE_RESULT_SUCCESS);
        return entries;
    }();
    return filled;
}

class Sequence {
  public:
    Sequence(const std::uint8_t* bytes, std::size_t size) : next_(bytes), end_(bytes + size) {
        tracers_.reserve(kMaxTracers);
    }

    long run() {
        while (next_ != end_) step();
        for (auto& tracer : tracers_) {
            if (!tracer.alive) continue;
            demandCode("zelTracerSetEnabled", zelTracerSetEnabled(tracer.handle, false), ZE_RESULT_SUCCESS);
            demandCode("zelTracerDestroy", zelTracerDestroy(tracer.handle), ZE_RESULT_SUCCESS);
        }
        return callbacks_;
    }

    /// Inside a callback: notes it, and goes on with the sequence; may throw.
    void called(std::size_t tracer, int phase, ze_result_t result, void** instance) {
        seen_.push_back({tracer, phase});
        ++callbacks_;
        demandCode("the result that a callback is given", result, phase == 0 ? ZE_RESULT_SUCCESS : driverResult);
        const auto mark = reinterpret_cast<void*>(tracer + 1);
        const bool hadPrologue = phase == 1 && prologueRan(tracer);
        demand(*instance == (hadPrologue ? mark : nullptr), "instance data");
        *instance = mark;
        if (depth_ < kMaxDepth && take(4) == 0) step();
        if (take(16) == 1) throw Thrown();
    }

  private:
    struct Event {
        std::size_t tracer;
        int phase;
        friend bool operator==(const Event&, const Event&) = default;
    };

    unsigned take(unsigned bound) { return next_ == end_ ? bound - 1 : *next_++ % bound; }
    bool inside() const { return depth_ > 0; }
    bool prologueRan(std::size_t tracer) const { return std::count(seen_.begin(), seen_.end(), Event{tracer, 0}) > 0; }

    void step();
    void create();
    void createWrongly();
    void destroy();
    void enable();
    void setTable();
    void registerOne();
    void reset();
    void useBadHandle();
    void call();

    Tracer* pick() { return tracers_.empty() ? nullptr : &tracers_[take(static_cast<unsigned>(tracers_.size()))]; }
    std::size_t indexOf(const Tracer& tracer) const { return static_cast<std::size_t>(&tracer - tracers_.data()); }
    ze_result_t refusal(const Tracer& tracer) const {
        if (!tracer.alive) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
        return tracer.enabled ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_SUCCESS;
    }
    std::vector<Event> expectedEvents(int function) const;

    const std::uint8_t* next_;
    const std::uint8_t* end_;
    std::vector<Tracer> tracers_;
    std::vector<std::size_t> enabled_;  // in the order of enabling
    std::vector<std::size_t> traced_;   // who listens to the call in progress
    std::vector<Event> seen_;           // what the call in progress has called
    int depth_ = 0;
    long callbacks_ = 0;
};

Sequence* running = nullptr;

template <int phase>
void callback(void*, ze_result_t result, void* user, void** instance) {
    running->called(reinterpret_cast<std::size_t>(user) - 1, phase, result, instance);
}
constexpr Callback kCallbacks[] = {callback<0>, callback<1>};

void Sequence::step() {
    static constexpr void (Sequence::*kSteps[])() = {
        &Sequence::create,   &Sequence::createWrongly, &Sequence::destroy, &Sequence::enable,
        &Sequence::setTable, &Sequence::registerOne,   &Sequence::reset,   &Sequence::useBadHandle,
        &Sequence::call,     &Sequence::call,          &Sequence::enable,  &Sequence::registerOne};
    (this->*kSteps[take(std::size(kSteps))])();
}

void Sequence::create() {
    if (tracers_.size() == kMaxTracers) return;
    Tracer tracer;
    const zel_tracer_desc_t desc{static_cast<zel_structure_type_t>(take(3)), nullptr,
                                 reinterpret_cast<void*>(tracers_.size() + 1)};
    demandCode("zelTracerCreate", zelTracerCreate(&desc, &tracer.handle), ZE_RESULT_SUCCESS);
    tracer.alive = true;
    tracers_.push_back(tracer);
}

void Sequence::createWrongly() {
    zel_tracer_handle_t handle = nullptr;
    const zel_tracer_desc_t desc{};
    demandCode("zelTracerCreate(null)", zelTracerCreate(nullptr, &handle), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    demandCode("zelTracerCreate(, null)", zelTracerCreate(&desc, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

void Sequence::destroy() {
    Tracer* const tracer = pick();
    if (!tracer) return;
    const bool traces = std::count(traced_.begin(), traced_.end(), indexOf(*tracer)) > 0;
    const auto wanted = !tracer->alive              ? ZE_RESULT_ERROR_INVALID_NULL_HANDLE
                        : tracer->enabled || traces ? ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE
                                                    : ZE_RESULT_SUCCESS;
    demandCode("zelTracerDestroy", zelTracerDestroy(tracer->handle), wanted);
    if (wanted == ZE_RESULT_SUCCESS) tracer->alive = false;
}

void Sequence::enable() {
    Tracer* const tracer = pick();
    if (!tracer) return;
    const bool on = take(2) == 0;
    demandCode("zelTracerSetEnabled", zelTracerSetEnabled(tracer->handle, on),
               tracer->alive ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    if (!tracer->alive || tracer->enabled == on) return;
    tracer->enabled = on;
    if (on)
        enabled_.push_back(indexOf(*tracer));
    else
        std::erase(enabled_, indexOf(*tracer));
}

void Sequence::setTable() {
    Tracer* const tracer = pick();
    if (!tracer) return;
    const int phase = static_cast<int>(take(2));
    const unsigned chosen = take(8);
    zel_core_callbacks_t callbacks{};
    const auto place = [&](int function, auto& member) {
        if (chosen & (1u << function))
            member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(kCallbacks[phase]);
    };
    place(0, callbacks.CommandList.pfnAppendBarrierCb);
    place(1, callbacks.CommandList.pfnResetCb);
    place(2, callbacks.CommandList.pfnCloseCb);
    const auto set = phase == 0 ? zelTracerSetPrologues : zelTracerSetEpilogues;
    demandCode("setting a null table", set(tracer->handle, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    demandCode("setting a table", set(tracer->handle, &callbacks), refusal(*tracer));
    if (refusal(*tracer) == ZE_RESULT_SUCCESS)
        for (int i = 0; i < kFunctions; ++i) tracer->callbacks[i][phase] = chosen & (1u << i);
}

ze_result_t registerAny(zel_tracer_handle_t handle, int function, zel_tracer_reg_t kind, Callback callback) {
    switch (function) {
        case 0:
            return zelTracerCommandListAppendBarrierRegisterCallback(
                handle, kind, reinterpret_cast<ze_pfnCommandListAppendBarrierCb_t>(callback));
        case 1:
            return zelTracerCommandListResetRegisterCallback(handle, kind,
                                                             reinterpret_cast<ze_pfnCommandListResetCb_t>(callback));
        default:
            return zelTracerCommandListCloseRegisterCallback(handle, kind,
                                                             reinterpret_cast<ze_pfnCommandListCloseCb_t>(callback));
    }
}

void Sequence::registerOne() {
    Tracer* const tracer = pick();
    if (!tracer) return;
    const int function = static_cast<int>(take(kFunctions));
    const int phase = static_cast<int>(take(2));
    const bool set = take(3) != 0;
    demandCode(
        "registering a callback",
        registerAny(tracer->handle, function, static_cast<zel_tracer_reg_t>(phase), set ? kCallbacks[phase] : nullptr),
        refusal(*tracer));
    if (refusal(*tracer) == ZE_RESULT_SUCCESS) tracer->callbacks[function][phase] = set;
}

void Sequence::reset() {
    Tracer* const tracer = pick();
    if (!tracer) return;
    demandCode("zelTracerResetAllCallbacks", zelTracerResetAllCallbacks(tracer->handle), refusal(*tracer));
    if (refusal(*tracer) == ZE_RESULT_SUCCESS) tracer->callbacks = {};
}

void Sequence::useBadHandle() {
    static long memory[16] = {};
    const zel_tracer_handle_t bad[] = {nullptr, reinterpret_cast<zel_tracer_handle_t>(memory),
                                       reinterpret_cast<zel_tracer_handle_t>(~std::uintptr_t{take(7)})};
    auto* const handle = bad[take(std::size(bad))];
    constexpr auto kWanted = ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    demandCode("zelTracerDestroy of a bad handle", zelTracerDestroy(handle), kWanted);
    demandCode("zelTracerSetEnabled of a bad handle", zelTracerSetEnabled(handle, take(2) != 0), kWanted);
    demandCode("registering on a bad handle", registerAny(handle, 0, ZEL_REGISTER_PROLOGUE, kCallbacks[0]), kWanted);
    demandCode("zelTracerResetAllCallbacks of a bad handle", zelTracerResetAllCallbacks(handle), kWanted);
}

std::vector<Sequence::Event> Sequence::expectedEvents(int function) const {
    std::vector<Event> events;
    for (const int phase : {0, 1})
        for (const auto index : enabled_)
            if (tracers_[index].callbacks[function][phase]) events.push_back({index, phase});
    return events;
}

void Sequence::call() {
    const int function = static_cast<int>(take(kFunctions));
    if (!inside()) driverResult = take(5) == 0 ? ZE_RESULT_NOT_READY : ZE_RESULT_SUCCESS;
    const auto expected = inside() ? std::vector<Event>() : expectedEvents(function);
    const auto outerSeen = inside() ? seen_.size() : 0;
    if (!inside()) {
        seen_.clear();
        for (const auto index : enabled_)
            if (tracers_[index].listens(function)) traced_.push_back(index);
    }
    ++depth_;
    bool threw = false;
    try {
        const auto& entries = table();
        const auto result = function == 0   ? entries.pfnAppendBarrier(nullptr, nullptr, 0, nullptr)
                            : function == 1 ? entries.pfnReset(nullptr)
                                            : entries.pfnClose(nullptr);
        demandCode("the traced function", result, driverResult);
    } catch (const Thrown&) {
        threw = true;
    }
    --depth_;
    if (inside()) {
        demand(seen_.size() == outerSeen && !threw, "a callback's own call is not traced");
        return;
    }
    traced_.clear();
    if (threw)
        demand(seen_.size() <= expected.size(), "no callback more than expected");
    else
        demand(seen_.size() == expected.size(), "the number of callbacks", unsigned(seen_.size()),
               unsigned(expected.size()));
    demand(std::equal(seen_.begin(), seen_.end(), expected.begin()), "the order of callbacks");
}

}  // namespace

long runSequence(const std::uint8_t* bytes, std::size_t size) {
    Sequence sequence(bytes, size);
    running = &sequence;
    table();
    const long callbacks = sequence.run();
    running = nullptr;
    return callbacks;
}

}  // namespace zetl::test
