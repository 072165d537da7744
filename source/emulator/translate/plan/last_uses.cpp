#include "emulator/translate/plan/last_uses.h"

#include <algorithm>
#include <bitset>

#include "emulator/translate/plan/step_extents.h"

namespace zetl::emulator::translate {
namespace {

constexpr std::uint32_t kBytesOfSlot = isa::layout::kRegisterBytes;

isa::Line endOfBlock(const isa::Program::Code& code, isa::Line begin, const Survey& survey) {
    isa::Line end = begin + 1;
    while (end < code.lines() && survey.reached[end] && !survey.leads[end]) ++end;
    return end;
}

}  // namespace

LastUses::LastUses(const isa::Program::Code& code, std::uint8_t body, isa::Line begin, const Survey& survey) {
    if (begin >= code.lines()) return;
    const auto& b = code.body[body];
    std::bitset<isa::layout::kBytes / kBytesOfSlot + 1> seen;
    isa::Line line = endOfBlock(code, begin, survey);
    const auto use = [&](const Extent& extent) {
        const std::uint32_t end = std::min(extent.end(), isa::layout::kBytes);
        for (std::uint32_t slot = extent.place / kBytesOfSlot; slot * kBytesOfSlot < end; ++slot) {
            if (!seen[slot]) uses_.push_back({line, slot * kBytesOfSlot});
            seen.set(slot);
        }
    };
    while (line-- > begin) {
        for (std::uint32_t i = b.start[line]; i < b.start[line + 1]; ++i) {
            const Meaning* const what = b.meaningOf(b.steps[i]);
            const auto extents = what != nullptr ? extentsOf(b.steps[i], *what) : std::nullopt;
            if (!extents) continue;
            for (const Extent& read : extents->reads) use(read);
            if (extents->write) use(*extents->write);
        }
    }
}

}  // namespace zetl::emulator::translate
