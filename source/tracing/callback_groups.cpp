#include "tracing/callback_groups.h"

#include <level_zero/ze_ddi.h>

#include <cstddef>
#include <cstring>
#include <numeric>

#include "ddi/table_size.h"

namespace zetl::tracing {
namespace {

/// A group of callbacks follows its dispatch table slot by slot, up to the end of specification 1.0.
struct Group {
    ddi::Table table;
    std::size_t offset;  // in ze_callbacks_t
    std::size_t callbacks;
};

#define GROUP(name) \
    { ddi::Table::ze##name, offsetof(ze_callbacks_t, name), sizeof(ze_callbacks_t::name) / sizeof(void*) }
constexpr Group kGroups[] = {
    GROUP(Global), GROUP(Driver),    GROUP(Device),      GROUP(Context), GROUP(CommandQueue), GROUP(CommandList),
    GROUP(Fence),  GROUP(EventPool), GROUP(Event),       GROUP(Image),   GROUP(Module),       GROUP(ModuleBuildLog),
    GROUP(Kernel), GROUP(Sampler),   GROUP(PhysicalMem), GROUP(Mem),     GROUP(VirtualMem),
};
#undef GROUP

constexpr std::size_t kCallbacks = 120;
static_assert(sizeof(ze_callbacks_t) == kCallbacks * sizeof(void*),
              "the callback table is frozen since specification 1.0");
static_assert(std::accumulate(std::begin(kGroups), std::end(kGroups), std::size_t{0},
                              [](std::size_t sum, const Group& each) { return sum + each.callbacks; }) == kCallbacks,
              "every group of the callback table needs a row");

#define SAME_PLACE(group, member) \
    static_assert(offsetof(ze_##group##_callbacks_t, pfn##member##Cb) == offsetof(ze_##group##_dditable_t, pfn##member))
SAME_PLACE(command_list, AppendLaunchMultipleKernelsIndirect);
SAME_PLACE(device, GetStatus);
SAME_PLACE(kernel, GetName);
SAME_PLACE(mem, CloseIpcHandle);
SAME_PLACE(module, GetFunctionPointer);
SAME_PLACE(virtual_mem, GetAccessAttribute);
#undef SAME_PLACE

}  // namespace

std::vector<CallbackSetting> settingsOf(const ze_callbacks_t& table, Phase phase) {
    std::vector<CallbackSetting> settings;
    settings.reserve(kCallbacks);
    for (const auto& group : kGroups) {
        const auto first = ddi::index(ddi::firstFunction(group.table));
        const auto* members = reinterpret_cast<const std::byte*>(&table) + group.offset;
        for (std::size_t i = 0; i < group.callbacks; ++i) {
            ddi::Address callback = nullptr;
            std::memcpy(&callback, members + i * sizeof callback, sizeof callback);
            settings.push_back({ddi::Function(first + i), phase, callback});
        }
    }
    return settings;
}

}  // namespace zetl::tracing
