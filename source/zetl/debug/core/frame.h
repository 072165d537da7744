// The chain of calls that a stopped thread is in.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/memory.h"
#include "core/module_list.h"
#include "core/stopped_thread.h"

namespace zetl::debugger {

struct Frame {
    std::uint64_t address = 0;  ///< where it goes on
    const Module* module = nullptr;
    std::string function;  ///< by its source name, or its symbol
    SourceLine line;
    bool isInlined = false;           ///< its code is part of the next frame's function
    std::size_t scope = 0;            ///< index into DebugInfo::scopesAt(address)
    std::map<unsigned, Bytes> saved;  ///< registers that have other values now than in this frame

    std::optional<Bytes> readRegister(StoppedThread& thread, unsigned number) const;
};

/// Innermost first; at least one.
std::vector<Frame> framesOf(StoppedThread& thread, const ModuleList& modules, const Memory& memory);

/// What expressions may read in a frame. Refers to all of its arguments.
Surroundings surroundingsOf(const Frame& frame, StoppedThread& thread, const Memory& memory, unsigned lane);

}  // namespace zetl::debugger
