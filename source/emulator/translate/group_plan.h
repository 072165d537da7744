// A kernel that runs straight through, as the threads of a group execute it one after the other: what is the same for
// all of them is done once, what nobody will see not at all. It may branch over something where an id is too large: all
// lanes of most threads go on, and of the others threads are left to the ordinary code.
//
// Such a thread has no effect before its one store, whose checks come before it writes: where host code cannot go on,
// the thread simply begins again, by the ordinary code.
#pragma once

#include <bitset>
#include <optional>
#include <vector>

#include "emulator/isa/code.h"
#include "emulator/translate/group_flags.h"
#include "emulator/translate/handler_map.h"

namespace zetl::emulator::translate {

struct GroupPlan {
    struct Line {
        isa::Line line;
        /// With operands in the places where they are: results of `once` are kept apart, from r128 on.
        std::vector<isa::Step> steps;
        std::vector<const Meaning*> meanings;  ///< null: a step of isa/flow.h
        std::vector<isa::Handler> handlers;
        isa::StateSlots read;           ///< registers that lines behind it read
        std::vector<bool> gapsAreFree;  ///< by step of `always`: none reads what lies between the elements it writes
        std::vector<bool> leads;        ///< the same: it loads what addresses of another message are made of
        std::vector<Guard> guards;      ///< the same, of comparisons
        std::vector<std::optional<std::uint8_t>> picked;  ///< by step: what a selection by a flag takes, of its sources
    };
    isa::Line entry = 0;
    isa::Line end = 0;                         ///< the line that ends the thread
    std::vector<Line> once;                    ///< for all threads of a group
    std::vector<Line> always;                  ///< by each thread
    bool setsMode = false;                     ///< cr0, before anything depends on it
    std::bitset<isa::layout::kBytes> changed;  ///< what threads write, and r0.2
};

/// For threads with all lanes of that body on. No plan: the kernel is none of these, because of the line at `obstacle`.
struct PlannedGroup {
    std::optional<GroupPlan> plan;
    isa::Line obstacle = 0;
};
PlannedGroup planGroup(const isa::Program::Code& code, const HandlerMap& handlers, isa::Line entry, std::uint8_t body);

}  // namespace zetl::emulator::translate
