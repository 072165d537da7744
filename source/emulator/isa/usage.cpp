// Which opcodes and messages a program contains, and how faithfully they are emulated.
#include "emulator/isa/usage.h"

#include <map>

#include "emulator/isa/code.h"
#include "emulator/isa/step_table.h"

namespace zetl::emulator::isa {
namespace {

std::string_view rowName(std::uint16_t number, std::string_view otherwise) {
    for (const RowInfo& r : allRows())
        if (r.number == number) return r.name;
    return otherwise;
}
Exactness rowExactness(std::uint16_t number, Exactness otherwise) {
    for (const RowInfo& r : allRows())
        if (r.number == number) return r.exactness;
    return otherwise;
}

}  // namespace

Usage usageOf(const Program& program, Line line) {
    const Instruction& in = program.instruction(line);
    if (in.opcode == Opcode::illegal) return {};
    const OpcodeInfo& info = *findOpcode(static_cast<std::uint8_t>(in.opcode));
    Usage use{std::string(info.mnemonic), info.exactness, 1};
    const auto number = static_cast<std::uint16_t>(kMathRows + in.function);
    if (in.opcode == Opcode::math) {
        use.name = rowName(number, "math");
        use.exactness = rowExactness(number, use.exactness);
    }
    if (info.format == Format::systolic && !isReal(in.destination.type)) {
        use.name = "dpas on integers";
        use.exactness = Exactness::exact;
    }
    if (info.format == Format::send) use.name = messageName(in.message.function);
    const auto& refused = program.code().refused;
    if (const auto found = refused.find(line); found != refused.end()) {
        use.name = found->second;
        use.exactness = Exactness::unsupported;
    }
    return use;
}

std::vector<Usage> Program::usage() const {
    std::map<std::string, Usage, std::less<>> found;
    for (Line line = 0; line < lineCount(); ++line) {
        const Usage use = usageOf(*this, line);
        if (use.name.empty()) continue;
        ++found.try_emplace(use.name, Usage{use.name, use.exactness, 0}).first->second.count;
    }
    std::vector<Usage> list;
    list.reserve(found.size());
    for (auto& [name, u] : found) list.push_back(std::move(u));
    return list;
}

}  // namespace zetl::emulator::isa
