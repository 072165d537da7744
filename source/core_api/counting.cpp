#include "core_api/counting.h"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <new>
#include <utility>

#include "activity/device_clock.h"
#include "base/log.h"
#include "base/never_destroyed.h"
#include "core_api/known_devices.h"

namespace zetl::core_api {
namespace {

NeverDestroyed<Counting> counting;

/// The library that contains this code: the layer, whose tracers the collector uses.
void* ownLibrary() {
    Dl_info info{};
    if (dladdr(reinterpret_cast<const void*>(&ownLibrary), &info) == 0) return nullptr;
    return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

}  // namespace

Counting& Counting::instance() noexcept { return *counting; }

bool Counting::start() {
    const Lock guard(starting_);
    if (std::exchange(tried_, true)) return collector_ != nullptr;
    std::string failure = "the tools layer is not found";
    if (auto* const layer = ownLibrary()) collector_ = activity::Collector::start(layer, *this, failure);
    if (!collector_) log::error(log::Channel::metrics, "commands are not counted: {}", failure);
    return collector_ != nullptr;
}

void Counting::read() {
    if (collector_) collector_->readComplete();
}

void Counting::add(std::shared_ptr<FactStream> stream) {
    const Lock guard(mutex_);
    streams_.push_back(std::move(stream));
}

void Counting::remove(const FactStream& stream) {
    const Lock guard(mutex_);
    std::erase_if(streams_, [&](const auto& each) { return each.get() == &stream; });
}

void Counting::opened(const activity::Stream& stream) noexcept try {
    const Lock guard(mutex_);
    devices_[stream.id] = idOf(stream.device);
} catch (const std::bad_alloc&) {
    // The stream's commands are those of no device that anybody knows.
}

/// Work of a sub-device also counts for its root device.
void Counting::took(const activity::Span& span) noexcept try {
    const Lock guard(mutex_);
    const auto found = devices_.find(span.stream);
    const auto* const device = found == devices_.end() ? nullptr : deviceOf(found->second);
    if (!device) return;
    for (const auto& stream : streams_)
        if (stream->device() == found->second || stream->device() == device->parent) stream->took(span);
} catch (const std::bad_alloc&) {
    log::error(log::Channel::metrics, "a command is not counted: the host is out of memory");
}

void Counting::missed(std::uint64_t commands) noexcept try {
    const Lock guard(mutex_);
    const auto more = commands - std::exchange(missed_, commands);
    for (const auto& stream : streams_) stream->missed(more, activity::hostNow());
} catch (const std::bad_alloc&) {
    log::error(log::Channel::metrics, "a command is not counted: the host is out of memory");
}

}  // namespace zetl::core_api
