#include "activity/objects.h"

#include <algorithm>

namespace zetl::activity {
namespace {

// zex_kernel_register_file_size_exp_t of Intel's driver: registers per thread. Others leave the 0 that is there.
constexpr auto kRegisterFileSize = static_cast<ze_structure_type_t>(0x00030012);
struct RegisterFileSize {
    ze_structure_type_t stype;
    const void* pNext;
    std::uint32_t registers;
};

}  // namespace

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

void Objects::addKernel(const void* handle, const char* name) {
    const auto number = static_cast<std::uint32_t>(names_.size() + 1);
    const auto [place, isNew] = names_.try_emplace(name, number);
    kernels_[handle] = {place->second, factsOf(handle), {}};
    if (isNew) sink_.named(number, name);
}

KernelState* Objects::kernel(const void* handle) {
    const auto found = kernels_.find(handle);
    return found == kernels_.end() ? nullptr : &found->second;
}

LaunchShape Objects::factsOf(const void* handle) const {
    RegisterFileSize registers{kRegisterFileSize, nullptr, 0};
    ze_kernel_properties_t properties{};
    properties.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES;
    properties.pNext = &registers;
    auto* const kernel = static_cast<ze_kernel_handle_t>(const_cast<void*>(handle));
    if (calls_.kernelGetProperties(kernel, &properties) != ZE_RESULT_SUCCESS) return {};
    return {{},
            {properties.requiredGroupSizeX, properties.requiredGroupSizeY, properties.requiredGroupSizeZ},
            properties.localMemSize,
            static_cast<std::uint16_t>(registers.registers),
            static_cast<std::uint16_t>(properties.maxSubgroupSize)};
}

LaunchShape KernelState::shape() const {
    auto shape = facts;
    std::uint64_t bytes = shape.localBytes;
    for (const auto& [index, each] : localArguments) bytes += each;
    shape.localBytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, UINT32_MAX));
    return shape;
}

void Objects::clear(std::vector<Command>& commands) {
    for (const auto& command : commands)
        if (command.store && executions.ready(command)) command.store->giveBack(command.event);
    commands.clear();
}

void Objects::execute(const std::vector<Command>& commands, StreamState& stream, std::uint64_t call,
                      std::uint64_t time) {
    for (const auto& command : commands)
        if (command.tag != 0 || executions.ready(command))
            executions.add(stream, command, call, time, false);
        else
            executions.missed();
}

void Objects::keepTimes(const GraphState& graph, ze_command_list_handle_t list) {
    std::map<EventStore*, std::vector<ze_event_handle_t>> running;
    for (const auto& command : graph.commands)
        if (command.store && executions.running(command.event)) running[command.store].push_back(command.event);
    for (auto& [store, events] : running) {
        const auto kept = KeptTimes::append(calls_, *store, list, events);
        for (std::size_t i = 0; kept && i < events.size(); ++i) executions.keep(events[i], kept, i);
    }
}

void Objects::execute(const GraphState& graph, ze_command_list_handle_t list, StreamState& stream, std::uint64_t call,
                      std::uint64_t time) {
    if (recording.empty() || !recordingGraph(list)) keepTimes(graph, list);
    execute(graph.commands, stream, call, time);
}

void Objects::withdraw(const std::vector<Command>& commands) {
    for (const auto& command : commands) executions.withdraw(command);
}

std::shared_ptr<GraphState>& Objects::graph(const void* handle) {
    auto& known = graphs[handle];
    if (!known) known = std::make_shared<GraphState>();
    return known;
}

GraphState* Objects::recordingGraph(const void* list) {
    if (!graphOf_) graphOf_ = calls_.later<decltype(graphOf_)>("zeCommandListGetGraphExt");
    if (!graphOf_) return nullptr;
    ze_graph_handle_t handle = nullptr;
    auto* const asked = static_cast<ze_command_list_handle_t>(const_cast<void*>(list));
    return graphOf_(asked, &handle) == ZE_RESULT_SUCCESS ? graph(handle).get() : nullptr;
}

void Objects::release(std::unordered_map<const void*, std::shared_ptr<GraphState>>& from, const void* handle) {
    const auto found = from.find(handle);
    if (found == from.end()) return;
    if (found->second.use_count() == 1) clear(found->second->commands);
    from.erase(found);
}

}  // namespace zetl::activity
