// Which opcodes and messages a program contains, and how faithfully they are emulated.
#include <map>

#include "emulator/isa/code.h"
#include "emulator/isa/message.h"
#include "emulator/isa/step_table.h"

namespace zetl::emulator::isa {
namespace {

std::string_view rowName(uint16_t number, std::string_view otherwise) {
    for (const RowInfo& r : allRows())
        if (r.number == number) return r.name;
    return otherwise;
}
Exactness rowExactness(uint16_t number, Exactness otherwise) {
    for (const RowInfo& r : allRows())
        if (r.number == number) return r.exactness;
    return otherwise;
}

}  // namespace

std::vector<Usage> Program::usage() const {
    std::map<std::string, Usage, std::less<>> found;
    for (Line line = 0; line < lineCount(); ++line) {
        const Instruction& in = instruction(line);
        if (in.opcode == Opcode::illegal) continue;  // padding
        const OpcodeInfo& info = *findOpcode(static_cast<uint8_t>(in.opcode));
        std::string name(info.mnemonic);
        Exactness exactness = info.exactness;
        const auto number = static_cast<uint16_t>(kMathRows + in.function);
        if (in.opcode == Opcode::math) name = rowName(number, "math"), exactness = rowExactness(number, exactness);
        if (info.format == Format::send) name = messageName(in.message.function);
        if (const auto refused = code_->refused.find(line); refused != code_->refused.end())
            name = refused->second, exactness = Exactness::unsupported;
        Usage& u = found.try_emplace(name, Usage{name, exactness, 0}).first->second;
        ++u.count;
    }
    std::vector<Usage> list;
    for (auto& [name, u] : found) list.push_back(std::move(u));
    return list;
}

}  // namespace zetl::emulator::isa
