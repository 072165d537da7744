#include "emulator/check/element_size.h"

#include <algorithm>
#include <array>

#include "emulator/check/register_bytes.h"
#include "emulator/isa/observe.h"
#include "isa/xe/legacy_message.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::check {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Operand;

constexpr isa::Line kNearElement = 60;

/// Arithmetic has operands of their own size; bits are moved and combined in any.
bool isArithmetic(const Instruction& in) noexcept {
    constexpr std::array kOpcodes{Opcode::add, Opcode::add3, Opcode::mul, Opcode::mad, Opcode::macl, Opcode::math};
    if (std::ranges::find(kOpcodes, in.opcode) != kOpcodes.end()) return true;
    const bool converts = in.opcode == Opcode::mov && isOfRegisters(in.source[0]) &&
                          isWholeNumber(in.source[0].type) != isWholeNumber(in.destination.type);
    return converts;
}

enum class ElementUse : std::uint8_t { none, number, other };

ElementUse useOf(const Instruction& in, const Operand& operand, std::uint32_t bytes) noexcept {
    if (byteSize(operand.type) < bytes) return ElementUse::other;
    return isArithmetic(in) && byteSize(operand.type) == bytes ? ElementUse::number : ElementUse::none;
}

/// What the block does with the registers that a load has written.
bool loadsNumbers(const isa::Program& program, isa::Line line, std::uint32_t bytes) {
    const std::uint32_t begin = isa::placeOf(program.instruction(line).destination);
    const RegisterBytes loaded{begin, begin + bytes};  // of the first lane
    bool isNumber = false;
    for (isa::Line next = line + 1; next < program.lineCount() && next - line <= kNearElement; ++next) {
        const Instruction& in = program.instruction(next);
        if (leavesTheBlock(in)) break;
        if (isMessage(in)) continue;
        for (std::uint32_t i = 0; i < in.sources; ++i) {
            const Operand& operand = in.source[i];
            if (!isOfRegisters(operand) || !loaded.meets(bytesReadBy(in, operand))) continue;
            const ElementUse use = useOf(in, operand, bytes);
            if (use == ElementUse::other) return false;
            isNumber |= use == ElementUse::number;
        }
        if (loaded.meets(bytesWrittenBy(in))) break;
    }
    return isNumber;
}

/// What has written the registers that a store is about to send.
bool storesNumbers(const isa::Program& program, isa::Line line, std::uint32_t bytes) {
    const Instruction store = zetl::isa::xe::modernForm(program.instruction(line));
    const Operand& data = store.source[1];
    if (!isOfRegisters(data)) return false;
    const std::uint32_t begin = data.number * isa::layout::kRegisterBytes;
    const RegisterBytes stored{begin, begin + bytes};  // of the first lane
    for (isa::Line back = 1; back <= kNearElement && back <= line; ++back) {
        const Instruction& before = program.instruction(line - back);
        if (leavesTheBlock(before)) return false;
        if (!stored.meets(bytesWrittenBy(before))) continue;
        const bool dense = !isMessage(before) && byteSize(before.destination.type) == bytes;
        return dense && isArithmetic(before);
    }
    return false;
}

}  // namespace

std::uint32_t elementSizeOf(const isa::Program& program, isa::Line line) {
    const Instruction& in = program.instruction(line);
    const auto plan = isa::AccessPlan::of(in);
    if (!plan || plan->shape.atomic || plan->shape.block || plan->shape.block2d || plan->shape.strided) return 0;
    const isa::MemorySpace space = plan->shape.space;
    if (space != isa::MemorySpace::global && space != isa::MemorySpace::local) return 0;
    const zetl::isa::xe::lsc::Descriptor descriptor(zetl::isa::xe::modernForm(in).message);
    const std::uint32_t bytes = descriptor.memoryBytes();
    if (bytes < 2 || bytes != descriptor.registerBytes()) return 0;
    const bool isKnown = plan->shape.write ? storesNumbers(program, line, bytes) : loadsNumbers(program, line, bytes);
    return isKnown ? bytes : 0;
}

}  // namespace zetl::emulator::check
