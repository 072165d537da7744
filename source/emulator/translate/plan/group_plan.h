// A plan for a kernel that runs straight through, as the threads of a group execute it one after the other: work that
// is the same for all of them is done once, and work whose result is never seen is not done. The kernel may branch over
// code if an id is too large: in most threads all lanes go on, and the others are left to the ordinary code.
//
// Such a thread has no effect before its one store, whose checks come before it writes. If host code cannot go on, the
// thread simply begins again in the ordinary code.
#pragma once

#include <bitset>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/isa/code.h"
#include "emulator/translate/plan/group_flags.h"
#include "emulator/translate/plan/step_meaning.h"

namespace zetl::emulator::translate {

struct GroupPlan {
    struct Line {
        isa::Line line;
        /// Operands are in their final places: results of `once` are kept apart, from r128 on.
        std::vector<isa::Step> steps;
        std::vector<const Meaning*> meanings;  ///< null: a step of isa/flow.h
        std::vector<Family> families;
        isa::StateSlots read;           ///< registers that lines behind it read
        std::vector<bool> gapsAreFree;  ///< by step of `always`: bytes between the elements that it writes are not read
        std::vector<bool> leads;        ///< the same: addresses of another message are made from its result
        std::vector<Guard> guards;      ///< the same, for comparisons
        std::vector<std::optional<std::uint8_t>> picked;  ///< by step: the source that a selection by a flag takes
    };
    /// A register that threads change and whose first value others need: copied before all else, read as the copy.
    struct Saved {
        std::uint32_t from;
        std::uint32_t to;
    };
    isa::Line entry = 0;
    isa::Line end = 0;         ///< the line that ends the thread
    std::vector<Line> once;    ///< executed once for all threads of a group
    std::vector<Line> always;  ///< executed by each thread
    /// Of second lines of products, which compute all of it: what their rows mean here.
    std::vector<std::unique_ptr<const Meaning>> products;
    std::vector<Saved> saved;
    bool setsMode = false;                     ///< sets cr0 before anything depends on it
    std::bitset<isa::layout::kBytes> changed;  ///< bytes that threads write, and r0.2
};

/// For threads with all lanes of that body on. Without a plan, `obstacle` is the line that rules it out.
struct PlannedGroup {
    std::optional<GroupPlan> plan;
    isa::Line obstacle = 0;
};
PlannedGroup planGroup(const isa::Program::Code& code, isa::Line entry, std::uint8_t body);

}  // namespace zetl::emulator::translate
