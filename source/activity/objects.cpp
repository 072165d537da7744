#include "activity/objects.h"

namespace zetl::activity {

ListState* Objects::list(const void* handle) {
    const auto found = lists.find(handle);
    return found == lists.end() ? nullptr : &found->second;
}

Timestamps Objects::timestampsOf(const void* event) const {
    const auto found = events.find(event);
    return found == events.end() ? Timestamps::none : found->second;
}

EventStore& Objects::store(ze_context_handle_t context, ze_device_handle_t device) {
    auto& store = stores_[{context, device}];
    if (!store) store = std::make_unique<EventStore>(calls_, context, device);
    return *store;
}

void Objects::endContext(ze_context_handle_t context) {
    executions.readAll(Executions::Extent::all);
    for (auto& [key, store] : stores_)
        if (key.first == context) store->destroyAll();
}

void Objects::nameKernel(const void* handle, const char* name) {
    const auto number = static_cast<std::uint32_t>(names_.size() + 1);
    const auto [place, isNew] = names_.try_emplace(name, number);
    kernels_[handle] = place->second;
    if (isNew) sink_.named(number, name);
}

std::uint32_t Objects::kernel(const void* handle) const {
    const auto found = kernels_.find(handle);
    return found == kernels_.end() ? 0 : found->second;
}

void Objects::clear(ListState& list) {
    for (const auto& command : list.commands)
        if (executions.ready(command) && command.store) command.store->giveBack(command.event);
    list.commands.clear();
}

void Objects::execute(const ListState& list, StreamState& stream, std::uint64_t call, std::uint64_t time) {
    for (const auto& command : list.commands)
        if (executions.ready(command))
            executions.add(stream, command, call, time, false);
        else
            executions.missed();
}

void Objects::withdraw(const ListState& list) {
    for (const auto& command : list.commands) executions.withdraw(command.event);
}

}  // namespace zetl::activity
