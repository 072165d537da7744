#include "nvidia/cupti/activity.h"

#include <cstdlib>
#include <ctime>
#include <new>
#include <vector>

#include "base/log.h"
#include "nvidia/cupti/result.h"

namespace zetl::nvidia::activity {
namespace {

constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                         CUPTI_ACTIVITY_KIND_MEMSET};

/// The driver's calls that submit work, under the names that libcuda gives them.
constexpr CUpti_CallbackId kCalls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,  CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuMemcpyAsync,   CUPTI_DRIVER_TRACE_CBID_cuMemcpy3DAsync_v2,
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async, CUPTI_DRIVER_TRACE_CBID_cuMemsetD16Async,
    CUPTI_DRIVER_TRACE_CBID_cuMemsetD32Async};

/// Each thread that submits work fills one after the other. A flush hands out the full ones: small ones come soon.
constexpr std::size_t kBufferBytes = 32 << 10;
constexpr std::size_t kBufferAlignment = 8;

Listener* listener = nullptr;  // constant once recording began

std::uint64_t CUPTIAPI rawNow() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

void CUPTIAPI onCall(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void* data) {
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    if (call.callbackSite == CUPTI_API_ENTER) listener->called(call.correlationId);
}

void CUPTIAPI giveBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* mostRecords) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
    *size = *buffer ? kBufferBytes : 0;
    *mostRecords = 0;
}

template <class T>
Record timesOf(const CUpti_Activity* record) {
    const auto& known = *reinterpret_cast<const T*>(record);
    return {known.correlationId, known.start, known.end};
}

/// The structures of CUDA 12.6, to which later versions only append.
bool read(const CUpti_Activity* record, Record& out) {
    switch (record->kind) {
        case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
            out = timesOf<CUpti_ActivityKernel9>(record);
            return true;
        case CUPTI_ACTIVITY_KIND_MEMCPY:
            out = timesOf<CUpti_ActivityMemcpy5>(record);
            return true;
        case CUPTI_ACTIVITY_KIND_MEMSET:
            out = timesOf<CUpti_ActivityMemset4>(record);
            return true;
        default:
            return false;
    }
}

void CUPTIAPI takeBuffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
    try {
        std::vector<Record> records;
        Record next;
        CUpti_Activity* record = nullptr;
        while (valid > 0 && cupti().cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
            if (read(record, next)) records.push_back(next);
        if (!records.empty()) listener->recorded(records);
    } catch (const std::bad_alloc&) {
        log::warn(log::Channel::nvidia, "no memory for the times of commands; those of {} bytes are lost", valid);
    }
    std::free(buffer);
}

zetl_status_t enable(CUpti_SubscriberHandle subscriber) {
    for (const auto each : kCalls) {
        const auto bad = ZETL_CUPTI(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, each));
        if (bad != ZETL_OK) return bad;
    }
    // Before the first kind: all records are then on this clock.
    if (const auto bad = ZETL_CUPTI(cuptiActivityRegisterTimestampCallback(rawNow)); bad != ZETL_OK) return bad;
    if (const auto bad = ZETL_CUPTI(cuptiActivityRegisterCallbacks(giveBuffer, takeBuffer)); bad != ZETL_OK) return bad;
    for (const auto each : kKinds)
        if (const auto bad = ZETL_CUPTI(cuptiActivityEnable(each)); bad != ZETL_OK) return bad;
    return ZETL_OK;
}

}  // namespace

zetl_status_t start(Listener& given) {
    CUpti_SubscriberHandle subscriber = nullptr;
    listener = &given;
    if (const auto bad = ZETL_CUPTI(cuptiSubscribe(&subscriber, onCall, nullptr)); bad != ZETL_OK) return bad;
    const auto status = enable(subscriber);
    if (status == ZETL_OK) return status;
    for (const auto each : kKinds) cupti().cuptiActivityDisable(each);
    cupti().cuptiUnsubscribe(subscriber);
    return status;
}

void flush(bool incomplete) noexcept {
    cupti().cuptiActivityFlushAll(incomplete ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
}

}  // namespace zetl::nvidia::activity
