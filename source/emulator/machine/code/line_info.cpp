#include "emulator/machine/code/line_info.h"

#include <algorithm>
#include <utility>

#include "isa/xe/access_shape.h"
#include "isa/xe/image_message.h"
#include "isa/xe/opcodes.h"

namespace zetl::emulator::machine {
namespace {

using isa::DataType;
using isa::Instruction;
using isa::Operand;
using zetl::isa::xe::Architecture;

constexpr std::uint32_t kEngineBytes = 64;  // operand bytes an engine takes in one issue slot
constexpr std::uint32_t kDoubleBytes = 8;
constexpr std::uint8_t kMathSlots = 4;  // extended math runs at a quarter of the rate

/// What a message counts as besides a send: accesses of global and local memory by kind, fences, barriers.
Counter messageCounter(const Instruction& i) noexcept {
    if (i.message.descriptorInRegister) return Counter::count_;  // what it does is known only when it runs
    switch (isa::synchronizationOf(i)) {
        case isa::Synchronization::fence:
            return Counter::fences;
        case isa::Synchronization::barrier:
            return Counter::barriers;
        case isa::Synchronization::none:
            break;
    }
    if (const auto image = zetl::isa::xe::imageMessageOf(i)) {
        if (image->bySampler()) return Counter::samplerMessages;
        return image->writes() ? Counter::typedWrites : Counter::typedReads;
    }
    const auto shape = isa::accessShapeOf(i);
    if (!shape) return Counter::count_;
    const auto kind = [&](Counter read, Counter write, Counter atomic) {
        return shape->atomic ? atomic : shape->write ? write : read;
    };
    switch (shape->space) {
        case isa::MemorySpace::global:
            return kind(Counter::globalReads, Counter::globalWrites, Counter::globalAtomics);
        case isa::MemorySpace::local:
            return kind(Counter::slmReads, Counter::slmWrites, Counter::slmAtomics);
        default:
            return Counter::count_;
    }
}

bool computesReal(const Instruction& i) noexcept {
    const auto real = [](const Operand& operand) {
        return operand.kind != Operand::Kind::none && isa::isReal(operand.type);
    };
    return real(i.destination) || std::any_of(i.source.begin(), i.source.begin() + i.sources, real);
}

std::uint8_t slots(const Instruction& i, const Architecture& architecture) noexcept {
    std::uint32_t bytes = isa::byteSize(i.destination.type);
    for (std::uint32_t s = 0; s < i.sources; ++s) {
        if (i.source[s].kind != Operand::Kind::none) bytes = std::max(bytes, isa::byteSize(i.source[s].type));
    }
    const std::uint32_t cycles =
        bytes == kDoubleBytes && computesReal(i) ? i.width / architecture.doubleLanes : i.width * bytes / kEngineBytes;
    return static_cast<std::uint8_t>(std::max(1u, cycles));
}

/// Each repetition multiplies one row.
std::uint8_t matrixSlots(const Instruction& i, const Architecture& architecture) noexcept {
    return static_cast<std::uint8_t>(std::max<std::uint32_t>(i.repeatCount, 1) * architecture.matrixCycles);
}

/// Of the real types that an instruction reads the widest, else of the whole ones; without a source, what it writes.
DataType executionType(const Instruction& i) noexcept {
    const auto rank = [](DataType type) { return std::pair(isa::isReal(type), isa::byteSize(type)); };
    DataType widest = i.sources == 0 ? i.destination.type : i.source[0].type;
    for (std::uint32_t s = 1; s < i.sources; ++s)
        if (i.source[s].kind != Operand::Kind::none && rank(i.source[s].type) > rank(widest)) widest = i.source[s].type;
    return widest;
}

bool converts(const Instruction& i) noexcept {
    const DataType from = i.source[0].type;
    const DataType to = i.destination.type;
    return i.opcode == isa::Opcode::mov && (isa::isReal(from) || isa::isReal(to)) && from != to;
}

/// Bytes are computed as words.
Counter arithmeticType(const Instruction& i) noexcept {
    if (converts(i)) return Counter::conversionInstructions;
    const DataType type = executionType(i);
    const bool real = isa::isReal(type);
    switch (isa::byteSize(type)) {
        case 8:
            return real ? Counter::doubleInstructions : Counter::qwordInstructions;
        case 4:
            return real ? Counter::singleInstructions : Counter::dwordInstructions;
        default:
            return real ? Counter::halfInstructions : Counter::wordInstructions;
    }
}

/// Of two integer sources, the wider elements.
Counter matrixType(const Instruction& i) noexcept {
    switch (i.source[1].type) {
        case DataType::hf:
            return Counter::halfMatrixInstructions;
        case DataType::bf:
            return Counter::brainMatrixInstructions;
        case DataType::tf32:
            return Counter::tensorMatrixInstructions;
        default:
            break;
    }
    const auto bits = [](const Operand& o) { return o.elementBits == 0 ? std::uint8_t{8} : o.elementBits; };
    switch (std::max(bits(i.source[1]), bits(i.source[2]))) {
        case 2:
            return Counter::crumbMatrixInstructions;
        case 4:
            return Counter::nibbleMatrixInstructions;
        default:
            return Counter::byteMatrixInstructions;
    }
}

/// What an instruction adds and multiplies.
struct Arithmetic {
    Counter counter = Counter::count_;
    std::uint16_t operations = 0;
};

/// Additions and multiplications of one lane. Comparisons, choices, roundings and moves are none.
std::uint32_t operationsPerLane(isa::Opcode opcode) noexcept {
    switch (opcode) {
        case isa::Opcode::add:
        case isa::Opcode::mul:
            return 1;
        case isa::Opcode::mac:
        case isa::Opcode::mad:
        case isa::Opcode::madm:
            return 2;
        default:
            return 0;
    }
}

Arithmetic arithmeticOf(const Instruction& i) noexcept {
    const auto type = executionType(i);
    const std::uint32_t operations = operationsPerLane(i.opcode) * i.width;
    if (operations == 0 || !isa::isReal(type)) return {};
    const std::uint32_t bytes = isa::byteSize(type);
    const auto counter = bytes == 8   ? Counter::doubleOperations
                         : bytes == 4 ? Counter::singleOperations
                                      : Counter::halfOperations;
    return {counter, static_cast<std::uint16_t>(operations)};
}

/// Each of the stages multiplies and adds the numbers of one dword, for each column and row.
Arithmetic matrixArithmeticOf(const Instruction& i) noexcept {
    const auto bitsOf = [](const Operand& o) {
        return o.elementBits != 0 ? std::uint32_t{o.elementBits} : isa::byteSize(o.type) * 8;
    };
    const std::uint32_t perDword = 32 / std::max(bitsOf(i.source[1]), bitsOf(i.source[2]));
    const std::uint32_t rows = std::max<std::uint32_t>(i.repeatCount, 1);
    const bool real = isa::isReal(i.source[1].type);
    return {real ? Counter::realMatrixOperations : Counter::integerMatrixOperations,
            static_cast<std::uint16_t>(2 * perDword * i.systolicDepth * rows * i.width)};
}

}  // namespace

LineInfo classify(const Instruction& i, const Architecture& architecture) noexcept {
    const isa::OpcodeInfo* opcode = isa::findOpcode(static_cast<std::uint8_t>(i.opcode));
    if (opcode == nullptr) return {};
    switch (opcode->format) {
        case isa::Format::control:
        case isa::Format::sync:
            return {.pipe = Counter::otherInstructions};
        case isa::Format::branch:
            return {.pipe = Counter::controlInstructions};
        case isa::Format::send:
            return {.pipe = Counter::sendInstructions, .message = messageCounter(i)};
        case isa::Format::systolic:
            return {.pipe = Counter::matrixInstructions,
                    .type = matrixType(i),
                    .issueSlots = matrixSlots(i, architecture),
                    .arithmetic = matrixArithmeticOf(i).counter,
                    .operations = matrixArithmeticOf(i).operations};
        case isa::Format::math:
            return {.pipe = Counter::mathInstructions,
                    .issueSlots = static_cast<std::uint8_t>(slots(i, architecture) * kMathSlots)};
        default:
            return {.pipe = computesReal(i) ? Counter::floatInstructions : Counter::integerInstructions,
                    .type = arithmeticType(i),
                    .issueSlots = slots(i, architecture),
                    .arithmetic = arithmeticOf(i).counter,
                    .operations = arithmeticOf(i).operations};
    }
}

}  // namespace zetl::emulator::machine
