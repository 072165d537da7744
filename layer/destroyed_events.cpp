#include "destroyed_events.h"

#include <atomic>

#include "toolbox.h"

namespace zetl::layer {
namespace {

constinit std::atomic<ddi::Address> destroyBelow{nullptr};

ze_result_t ZE_APICALL eventDestroy(ze_event_handle_t event) noexcept {
    if (auto* const tools = madeToolbox()) tools->part(static_cast<metrics::Metrics*>(nullptr)).eventDestroyed(event);
    return reinterpret_cast<decltype(&zeEventDestroy)>(destroyBelow.load(std::memory_order_acquire))(event);
}

}  // namespace

ddi::Address withDestroyedEventsTold(ddi::Address held) noexcept {
    if (!held) return held;
    destroyBelow.store(held, std::memory_order_release);
    return reinterpret_cast<ddi::Address>(&eventDestroy);
}

}  // namespace zetl::layer
