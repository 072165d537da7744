#include "emulator/driver/execution/graph_record.h"

#include <algorithm>

#include "emulator/driver/execution/command_list.h"

namespace zetl::emulator::driver {
namespace {

bool isJoined(const GraphRecord& record, std::size_t branch) noexcept {
    const auto& signal = record.branches[branch].joinSignal;
    if (!signal) return false;
    const auto behind = record.commands.begin() + static_cast<std::ptrdiff_t>(*signal) + 1;
    return std::none_of(behind, record.commands.end(),
                        [&](const GraphCommand& each) { return each.branch == branch && each.isWork(); });
}

}  // namespace

bool allJoined(const GraphRecord& record) noexcept {
    for (std::size_t branch = 1; branch < record.branches.size(); ++branch)
        if (!isJoined(record, branch)) return false;
    return true;
}

bool isExternal(const Event& event) noexcept {
    return event.pool().counterBased() && (event.counterFlags() & ZE_EVENT_COUNTER_BASED_FLAG_GRAPH_EXTERNAL);
}

bool isInternal(const Event& event) noexcept { return event.pool().counterBased() && !isExternal(event); }

}  // namespace zetl::emulator::driver
