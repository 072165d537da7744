#include "activity/event_store.h"

namespace zetl::activity {

constexpr std::uint32_t kPoolEvents = 256;
constexpr std::size_t kMostEvents = 64 * 1024;  // executing or unread at one time; further commands are not measured

bool EventStore::makePool() {
    if (failed_ || all_.size() >= kMostEvents) return false;
    failed_ = true;
    const ze_event_pool_desc_t description{
        ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, nullptr,
        static_cast<ze_event_pool_flags_t>(ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | ZE_EVENT_POOL_FLAG_HOST_VISIBLE),
        kPoolEvents};
    ze_event_pool_handle_t pool = nullptr;
    if (calls_.eventPoolCreate(context_, &description, 1, &device_, &pool) != ZE_RESULT_SUCCESS || !pool) return false;
    pools_.push_back(pool);
    for (std::uint32_t i = 0; i < kPoolEvents; ++i) {
        const ze_event_desc_t event{ZE_STRUCTURE_TYPE_EVENT_DESC, nullptr, i, 0, ZE_EVENT_SCOPE_FLAG_HOST};
        ze_event_handle_t made = nullptr;
        if (calls_.eventCreate(pool, &event, &made) != ZE_RESULT_SUCCESS || !made) return false;
        all_.push_back(made);
        free_.push_back(made);
    }
    failed_ = false;
    return true;
}

ze_event_handle_t EventStore::take() {
    if (free_.empty() && !makePool()) return nullptr;
    auto* event = free_.back();
    free_.pop_back();
    return event;
}

void EventStore::giveBack(ze_event_handle_t event) {
    if (calls_.eventHostReset(event) == ZE_RESULT_SUCCESS) free_.push_back(event);
}

ze_kernel_timestamp_result_t* EventStore::takeTimes(std::size_t events) {
    if (const auto found = freeTimes_.find(events); found != freeTimes_.end()) {
        auto* const times = found->second;
        freeTimes_.erase(found);
        return times;
    }
    const ze_host_mem_alloc_desc_t description{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    void* made = nullptr;
    const auto bytes = events * sizeof(ze_kernel_timestamp_result_t);
    if (calls_.memAllocHost(context_, &description, bytes, alignof(ze_kernel_timestamp_result_t), &made) !=
        ZE_RESULT_SUCCESS)
        return nullptr;
    memory_.push_back(made);
    return static_cast<ze_kernel_timestamp_result_t*>(made);
}

void EventStore::giveBackTimes(ze_kernel_timestamp_result_t* times, std::size_t events) {
    freeTimes_.emplace(events, times);
}

void EventStore::destroyAll() {
    for (auto* memory : memory_) calls_.memFree(context_, memory);
    for (auto* event : all_) calls_.eventDestroy(event);
    for (auto* pool : pools_) calls_.eventPoolDestroy(pool);
    all_.clear();
    free_.clear();
    memory_.clear();
    freeTimes_.clear();
    pools_.clear();
}

}  // namespace zetl::activity
