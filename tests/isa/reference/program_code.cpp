#include "reference/program_code.h"

#include <stdexcept>

namespace zetl::test::reference {

std::vector<RandomProgram> randomPrograms(std::uint64_t first, std::uint32_t count,
                                          const isa::Architecture& architecture) {
    std::vector<RandomProgram> programs;
    for (std::uint32_t k = 0; k < count; ++k) programs.push_back(randomProgram(first + k, architecture));
    return programs;
}

std::vector<FlowProgram> flowPrograms(std::uint64_t first, std::uint32_t count) {
    std::vector<FlowProgram> programs;
    for (std::uint32_t k = 0; k < count; ++k) programs.push_back(flowProgram(first + k));
    return programs;
}

std::vector<Code> codeOf(std::span<const RandomProgram> programs) {
    std::string text;
    for (const RandomProgram& p : programs) text += p.assembly();
    const Code all = assembleProgram(text, programs.empty() ? isa::kXeHpc : *programs.front().architecture);
    const auto end = all.end() - 2 * kInstructionBytes;
    std::vector<Code> list;
    auto at = all.begin();
    for (const RandomProgram& p : programs) {
        const auto behind = at + static_cast<std::ptrdiff_t>((p.instructions.size() + 1) * kInstructionBytes);
        Code& code = list.emplace_back(at, behind);
        for (std::size_t n = 0; n < p.instructions.size(); ++n)
            p.instructions[n].encode(std::span(code).subspan((n + 1) * kInstructionBytes));
        code.insert(code.end(), end, all.end());
        at = behind;
    }
    return list;
}

std::vector<Code> codeOf(std::span<const FlowProgram> programs) {
    std::string text;
    for (const FlowProgram& p : programs) text += p.text;
    const Code all = assemble(text);
    std::vector<Code> list;
    auto at = all.begin();
    for (const FlowProgram& p : programs) {
        const auto behind = at + static_cast<std::ptrdiff_t>(p.instructions * kInstructionBytes);
        list.emplace_back(at, behind);
        at = behind;
    }
    if (at != all.end()) throw std::logic_error("flow programs do not count their instructions");
    return list;
}

}  // namespace zetl::test::reference
