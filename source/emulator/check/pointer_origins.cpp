#include "emulator/check/pointer_origins.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

#include "emulator/check/observed_line.h"
#include "emulator/isa/register_use.h"

namespace zetl::emulator::check {

void PointerOrigins::note(const ObservedLine& line, GroupState& group) {
    const std::int32_t place = line.checked.pointer;
    if (place == kUnknownPointer) return;
    if (line.checked.pointerByLanes) return noteLoaded(line, group);
    machine::ActiveDispatch& dispatch = line.group.dispatch();
    const auto pointer = line.thread.at<std::uint64_t>(static_cast<std::uint32_t>(place));
    if (const std::uint64_t* const known = group.noted(dispatch.id(), place); known != nullptr && *known == pointer)
        return;
    group.note(dispatch.id(), place, pointer);
    if (!line.checked.ofArguments) return;
    const CheckedProgram& program = programs_.of(*line.context.loaded);
    const std::vector<std::int32_t>& shown = program.parts[line.checked.part];
    const Lock guard(mutex_);
    auto& known = arguments_[dispatch.id()];
    known[place] = pointer;
    const bool all = std::ranges::all_of(shown, [&](std::int32_t one) { return known.contains(one); });
    if (all && !shown.empty()) dispatch.idle.fetch_or(kIdle, std::memory_order_relaxed);
}

/// Pointers that were loaded may lead anywhere. Those that are an argument's lead to what that points to.
void PointerOrigins::noteLoaded(const ObservedLine& line, GroupState& group) {
    const std::uint32_t lanes = isa::lanesOf(line.thread, line.number);
    if (lanes == 0) return;
    const std::uint32_t offset = line.thread.program->instruction(line.number).offset;
    const auto pointerOf = [&](std::uint32_t lane) {
        return line.thread.at<std::uint64_t>(static_cast<std::uint32_t>(line.checked.pointer) +
                                             (lane + offset) * static_cast<std::uint32_t>(sizeof(std::uint64_t)));
    };
    std::uint64_t pointer = pointerOf(static_cast<std::uint32_t>(std::countr_zero(lanes)));
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        if (pointerOf(static_cast<std::uint32_t>(std::countr_zero(rest))) != pointer) pointer = 0;
    const std::uint64_t* const known = group.noted(line.launchOfThread(), line.checked.pointer);
    if (known != nullptr && *known == pointer) return;
    if (pointer != 0 && !isArgument(line, pointer)) pointer = 0;
    group.note(line.launchOfThread(), line.checked.pointer, pointer);
}

/// The launch passes it to its threads.
bool PointerOrigins::isArgument(const ObservedLine& line, std::uint64_t pointer) {
    const auto has = [&](std::span<const std::byte> passed) {
        for (std::size_t at = 0; at + sizeof pointer <= passed.size(); at += sizeof pointer)
            if (std::memcmp(passed.data() + at, &pointer, sizeof pointer) == 0) return true;
        return false;
    };
    if (line.isPrivate(pointer)) return false;
    return has(line.group.dispatch().payload()) || has(line.launch().inlineData);
}

const std::uint64_t* PointerOrigins::of(const ObservedLine& line, GroupState& group) {
    const std::int32_t place = line.checked.pointer;
    if (place == kUnknownPointer) return nullptr;
    if (line.checked.pointerByLanes) {
        const std::uint64_t* const noted = group.noted(line.launchOfThread(), place);
        return noted != nullptr && *noted != 0 ? noted : nullptr;
    }
    const machine::ActiveDispatch& dispatch = line.group.dispatch();
    const std::uint64_t* const noted = group.noted(dispatch.id(), place);
    if (noted != nullptr || !line.checked.ofArguments) return noted;
    if ((dispatch.idle.load(std::memory_order_relaxed) & kIdle) == 0) return nullptr;
    const Lock guard(mutex_);
    const auto& known = arguments_[dispatch.id()];
    const auto found = known.find(place);
    if (found == known.end()) return nullptr;
    group.note(dispatch.id(), place, found->second);
    return group.noted(dispatch.id(), place);
}

void PointerOrigins::forget(std::uint64_t launch) {
    const Lock guard(mutex_);
    arguments_.erase(launch);
}

}  // namespace zetl::emulator::check
