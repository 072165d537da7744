// The call stack of a stopped thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/lane_frames.h"
#include "core/memory.h"
#include "core/module_list.h"
#include "core/stopped_thread.h"

namespace zetl::debugger {

struct Frame {
    std::uint64_t address = 0;  ///< where it continues
    const Module* module = nullptr;
    std::string function;  ///< its name in the source, or its symbol
    SourceLine line;
    bool isInlined = false;           ///< its code is part of the next frame's function
    std::size_t scope = 0;            ///< index into DebugInfo::scopesAt(address)
    std::map<unsigned, Bytes> saved;  ///< registers whose values in this frame differ from the current ones
    LaneFrame lanes = {};             ///< of devices whose lanes have stacks, in place of `saved`

    std::optional<Bytes> readRegister(StoppedThread& thread, unsigned number) const;
};

/// Innermost first; at least one.
std::vector<Frame> framesOf(StoppedThread& thread, const ModuleList& modules, const Memory& memory);

/// The input of expressions in a frame. Refers to its arguments.
Surroundings surroundingsOf(const Frame& frame, StoppedThread& thread, const Memory& memory, unsigned lane);

}  // namespace zetl::debugger
