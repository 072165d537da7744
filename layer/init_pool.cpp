#include "init_pool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "failing_calls.h"
#include "tracing/traced_call.h"

namespace zetl::layer {
namespace {

using Init = ze_result_t(ZE_APICALL*)(ze_init_flags_t);

constexpr std::size_t kEntries = 32;
constinit std::array<std::atomic<ddi::Address>, kEntries> nexts{};

template <std::size_t I>
ze_result_t ZE_APICALL pastRules(ze_init_flags_t flags) {
    return failingInit(reinterpret_cast<Init>(nexts[I].load()), flags);
}

template <std::size_t I>
ze_result_t ZE_APICALL enter(ze_init_flags_t flags) {
    return tracing::callObserved<ddi::Function::zeInit>(&pastRules<I>, reinterpret_cast<Init>(nexts[I].load()), flags);
}

template <std::size_t... I>
ddi::Address entryAt(std::size_t index, std::index_sequence<I...>) noexcept {
    static constexpr Init kAll[] = {enter<I>...};
    return reinterpret_cast<ddi::Address>(kAll[index]);
}
ddi::Address entryAt(std::size_t index) noexcept { return entryAt(index, std::make_index_sequence<kEntries>()); }

}  // namespace

bool isInitEntry(ddi::Address entry) noexcept {
    for (std::size_t i = 0; i < kEntries; ++i)
        if (entryAt(i) == entry) return true;
    return false;
}

ddi::Address initEntry(ddi::Address next) noexcept {
    const auto place =
        std::find_if(nexts.begin(), nexts.end(), [&](const auto& each) { return !each.load() || each.load() == next; });
    if (place == nexts.end()) return nullptr;
    place->store(next);
    return entryAt(static_cast<std::size_t>(place - nexts.begin()));
}

}  // namespace zetl::layer
