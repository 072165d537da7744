#include "fuzz/driver_api/descriptions.h"

#include <level_zero/ze_api.h>

#include <map>

#include "fuzz/driver_api/objects.h"

namespace zetl::test {
namespace {

using Filler = void (*)(void*, Script&);

void context(ze_context_desc_t& to, Script& script) {
    to.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC;
    to.flags = script.byte() % 4u;
}

void queue(ze_command_queue_desc_t& to, Script& script) {
    to.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
    to.ordinal = script.byte() % 3u;
    to.index = script.byte() % 16u / 15u;
    to.flags = script.byte() % 4u;
    to.mode = static_cast<ze_command_queue_mode_t>(script.byte() % 4);
    to.priority = static_cast<ze_command_queue_priority_t>(script.byte() % 4);
}

void list(ze_command_list_desc_t& to, Script& script) {
    to.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC;
    to.commandQueueGroupOrdinal = script.byte() % 3u;
    to.flags = script.byte() % 32u;
}

void eventPool(ze_event_pool_desc_t& to, Script& script) {
    to.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC;
    to.flags = script.byte() % 16u;
    to.count = script.byte() % 8u;
}

void event(ze_event_desc_t& to, Script& script) {
    to.stype = ZE_STRUCTURE_TYPE_EVENT_DESC;
    to.index = script.byte() % 8u;
    to.signal = script.byte() % 9u;
    to.wait = script.byte() % 9u;
}

void counter(ze_event_counter_based_desc_t& to, Script& script) {
    to.stype = ZE_STRUCTURE_TYPE_EVENT_COUNTER_BASED_DESC;
    to.flags = script.byte() % 132u;
    to.signal = script.byte() % 9u;
}

void fence(ze_fence_desc_t& to, Script& script) {
    to.stype = ZE_STRUCTURE_TYPE_FENCE_DESC;
    to.flags = script.byte() % 3u;
}

void deviceMemory(ze_device_mem_alloc_desc_t& to, Script& script) {
    to.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC;
    to.flags = script.byte() % 8u;
    to.ordinal = script.byte() % 16u / 15u;
}

void hostMemory(ze_host_mem_alloc_desc_t& to, Script& script) {
    to.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC;
    to.flags = script.byte() % 16u;
}

void physicalMemory(ze_physical_mem_desc_t& to, Script& script) {
    to.stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC;
    to.flags = script.byte() % 4u;
    to.size = std::uint64_t{script.byte() % 4u} << 21;
}

void image(ze_image_desc_t& to, Script& script) {
    to.stype = ZE_STRUCTURE_TYPE_IMAGE_DESC;
    to.flags = script.byte() % 4u;
    to.type = static_cast<ze_image_type_t>(script.byte() % 7);
    to.format.layout = static_cast<ze_image_format_layout_t>(script.byte() % 44);
    to.format.type = static_cast<ze_image_format_type_t>(script.byte() % 6);
    to.width = script.byte() % 32u;
    to.height = script.byte() % 8u;
    to.depth = script.byte() % 4u;
    to.arraylevels = script.byte() % 4u;
    to.miplevels = script.byte() % 16u / 15u;
}

void sampler(ze_sampler_desc_t& to, Script& script) {
    to.stype = ZE_STRUCTURE_TYPE_SAMPLER_DESC;
    to.addressMode = static_cast<ze_sampler_address_mode_t>(script.byte() % 6);
    to.filterMode = static_cast<ze_sampler_filter_mode_t>(script.byte() % 3);
    to.isNormalized = script.byte() % 3u;
}

void module(ze_module_desc_t& to, Script& script) {
    to = testProgram();
    if (script.byte() % 4 == 0) to.inputSize = script.word() % to.inputSize;
    if (script.byte() % 8 == 0) to.format = static_cast<ze_module_format_t>(script.byte() % 4);
}

void kernel(ze_kernel_desc_t& to, Script& script) {
    to.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC;
    to.flags = script.byte() % 4u;
    to.pKernelName = script.byte() % 4 ? "step" : "none";
}

/// Few groups, so that every sequence ends soon.
void groups(ze_group_count_t& to, Script& script) { to = {script.byte() % 4u, script.byte() % 4u, script.byte() % 4u}; }

void region(ze_copy_region_t& to, Script& script) {
    to = {script.byte() % 8u, script.byte() % 8u, script.byte() % 2u,
          script.byte() % 8u, script.byte() % 8u, script.byte() % 2u};
}

void imageRegion(ze_image_region_t& to, Script& script) {
    to = {script.byte() % 8u, script.byte() % 8u, script.byte() % 2u,
          script.byte() % 8u, script.byte() % 8u, script.byte() % 2u};
}

void commandId(ze_mutable_command_id_exp_desc_t& to, Script& script) {
    to.stype = ZE_STRUCTURE_TYPE_MUTABLE_COMMAND_ID_EXP_DESC;
    to.flags = script.byte();
}

const std::map<std::type_index, Filler>& fillers() {
    static const auto made = [] {
        std::map<std::type_index, Filler> all;
#define FILLS(function, type) \
    all[typeid(type)] = [](void* to, Script& script) { function(*static_cast<type*>(to), script); }
        FILLS(context, ze_context_desc_t);
        FILLS(queue, ze_command_queue_desc_t);
        FILLS(list, ze_command_list_desc_t);
        FILLS(eventPool, ze_event_pool_desc_t);
        FILLS(event, ze_event_desc_t);
        FILLS(counter, ze_event_counter_based_desc_t);
        FILLS(fence, ze_fence_desc_t);
        FILLS(deviceMemory, ze_device_mem_alloc_desc_t);
        FILLS(hostMemory, ze_host_mem_alloc_desc_t);
        FILLS(physicalMemory, ze_physical_mem_desc_t);
        FILLS(image, ze_image_desc_t);
        FILLS(sampler, ze_sampler_desc_t);
        FILLS(module, ze_module_desc_t);
        FILLS(kernel, ze_kernel_desc_t);
        FILLS(groups, ze_group_count_t);
        FILLS(region, ze_copy_region_t);
        FILLS(imageRegion, ze_image_region_t);
        FILLS(commandId, ze_mutable_command_id_exp_desc_t);
#undef FILLS
        return all;
    }();
    return made;
}

}  // namespace

void describe(std::type_index type, void* place, Script& script) {
    if (const auto found = fillers().find(type); found != fillers().end()) found->second(place, script);
}

}  // namespace zetl::test
