// Records of work in software behind libcupti's names. As in the real library, each thread that submits work fills its
// own buffers, a record lies in its buffer from the call on, and a flush hands out the buffers in which every record is
// complete; a forced one hands out all.
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <dlfcn.h>

#include <algorithm>
#include <list>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <string_view>
#include <thread>
#include <vector>

#include "nvidia/stand_in/watcher.h"
#include "scripted.h"

namespace {

struct Function {
    const char* name;
    CUpti_CallbackId id;
    CUpti_ActivityKind kind;
};
constexpr Function kFunctions[] = {
    {"cuLaunchKernel", CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL},
    {"cuLaunchCooperativeKernel", CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
     CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL},
    {"cuMemcpyAsync", CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync, CUPTI_ACTIVITY_KIND_MEMCPY},
    {"cuMemcpy3DAsync_v2", CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DAsync_v2, CUPTI_ACTIVITY_KIND_MEMCPY},
    {"cuMemsetD8Async", CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async, CUPTI_ACTIVITY_KIND_MEMSET},
    {"cuMemsetD16Async", CUPTI_DRIVER_TRACE_CBID_cuMemsetD16Async, CUPTI_ACTIVITY_KIND_MEMSET},
    {"cuMemsetD32Async", CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async, CUPTI_ACTIVITY_KIND_MEMSET},
};

using Kernel = CUpti_ActivityKernel9;
using Copy = CUpti_ActivityMemcpy5;
using Fill = CUpti_ActivityMemset4;

std::size_t sizeOf(CUpti_ActivityKind kind) {
    const std::size_t size = kind == CUPTI_ACTIVITY_KIND_MEMCPY   ? sizeof(Copy)
                             : kind == CUPTI_ACTIVITY_KIND_MEMSET ? sizeof(Fill)
                                                                  : sizeof(Kernel);
    return (size + 7) / 8 * 8;
}

/// Where a record says when its work was done.
struct Times {
    std::uint64_t* start;
    std::uint64_t* end;
};

template <class T>
Times place(std::uint8_t* at, CUpti_ActivityKind kind, unsigned call) {
    auto* const record = new (at) T{};
    record->kind = kind;
    record->correlationId = call;
    return {&record->start, &record->end};
}

Times placeRecord(std::uint8_t* at, CUpti_ActivityKind kind, unsigned call) {
    if (kind == CUPTI_ACTIVITY_KIND_MEMCPY) return place<Copy>(at, kind, call);
    if (kind == CUPTI_ACTIVITY_KIND_MEMSET) return place<Fill>(at, kind, call);
    return place<Kernel>(at, kind, call);
}

struct Buffer {
    std::uint8_t* bytes = nullptr;
    std::size_t size = 0;
    std::size_t valid = 0;
    std::set<unsigned> open;  ///< calls whose work has not ended
};

/// Never destroyed: streams work until the process ends.
struct State {
    std::mutex mutex;
    CUpti_CallbackFunc callback = nullptr;
    std::set<CUpti_CallbackId> called;
    std::set<CUpti_ActivityKind> kinds;
    CUpti_BuffersCallbackRequestFunc request = nullptr;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;
    CUpti_TimestampCallbackFunc now = nullptr;
    std::list<Buffer> buffers;
    std::map<std::thread::id, Buffer*> bufferOf;
    struct Open {
        Buffer* buffer;
        Times times;
    };
    std::map<unsigned, Open> open;  ///< by call
};
State& state = *new State;

Buffer& bufferFor(std::size_t bytes) {
    Buffer*& mine = state.bufferOf[std::this_thread::get_id()];
    if (mine && mine->valid + bytes <= mine->size) return *mine;
    mine = &state.buffers.emplace_back();
    std::size_t most = 0;
    state.request(&mine->bytes, &mine->size, &most);
    return *mine;
}

void onCall(const char* name, unsigned call) {
    const auto* const function =
        std::find_if(std::begin(kFunctions), std::end(kFunctions),
                     [name](const Function& each) { return std::string_view(each.name) == name; });
    if (function == std::end(kFunctions)) return;
    CUpti_CallbackFunc callback = nullptr;
    {
        const std::lock_guard guard(state.mutex);
        if (state.called.contains(function->id)) callback = state.callback;
    }
    if (callback) {
        CUpti_CallbackData data{};
        data.callbackSite = CUPTI_API_ENTER;
        data.correlationId = call;
        callback(nullptr, CUPTI_CB_DOMAIN_DRIVER_API, function->id, &data);
    }
    const std::lock_guard guard(state.mutex);
    if (!state.kinds.contains(function->kind)) return;
    Buffer& buffer = bufferFor(sizeOf(function->kind));
    state.open[call] = {&buffer, placeRecord(buffer.bytes + buffer.valid, function->kind, call)};
    buffer.open.insert(call);
    buffer.valid += sizeOf(function->kind);
}

void onBegin(unsigned call) {
    const std::lock_guard guard(state.mutex);
    if (const auto found = state.open.find(call); found != state.open.end()) *found->second.times.start = state.now();
}

void onEnd(unsigned call) {
    const std::lock_guard guard(state.mutex);
    const auto found = state.open.find(call);
    if (found == state.open.end()) return;
    *found->second.times.end = state.now();
    found->second.buffer->open.erase(call);
    state.open.erase(found);
}

constexpr stand_in::Watcher kWatcher{onCall, onBegin, onEnd};

void watch() {
    void* const cuda = dlopen(std::getenv("ZETL_CUDA_LIBRARY"), RTLD_NOW | RTLD_NOLOAD);
    reinterpret_cast<void (*)(const stand_in::Watcher*)>(dlsym(cuda, "standInWatch"))(&kWatcher);
    dlclose(cuda);
}

}  // namespace

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback, void*) {
    ANSWER_AS_SCRIPTED;
    const std::lock_guard guard(state.mutex);
    state.callback = callback;
    *subscriber = reinterpret_cast<CUpti_SubscriberHandle>(&state);
    return CUPTI_SUCCESS;
}
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
    const std::lock_guard guard(state.mutex);
    state.callback = nullptr;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain, CUpti_CallbackId id) {
    ANSWER_AS_SCRIPTED;
    const std::lock_guard guard(state.mutex);
    state.called.insert(id);
    return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc now) {
    state.now = now;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
    state.request = request;
    state.complete = complete;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
    ANSWER_AS_SCRIPTED;
    watch();
    const std::lock_guard guard(state.mutex);
    state.kinds.insert(kind);
    return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
    const std::lock_guard guard(state.mutex);
    state.kinds.erase(kind);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(std::uint32_t flag) {
    std::vector<Buffer> out;
    {
        const std::lock_guard guard(state.mutex);
        for (auto next = state.buffers.begin(); next != state.buffers.end();) {
            const bool forced = flag == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED;
            if (next->valid == 0 || (!next->open.empty() && !forced)) {
                ++next;
                continue;
            }
            for (const unsigned call : next->open) state.open.erase(call);
            std::erase_if(state.bufferOf, [&](const auto& each) { return each.second == &*next; });
            out.push_back(std::move(*next));
            next = state.buffers.erase(next);
        }
    }
    for (const Buffer& each : out) state.complete(nullptr, 0, each.bytes, each.size, each.valid);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
    std::uint8_t* const next = *record ? reinterpret_cast<std::uint8_t*>(*record) + sizeOf((*record)->kind) : buffer;
    if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity*>(next);
    return CUPTI_SUCCESS;
}
