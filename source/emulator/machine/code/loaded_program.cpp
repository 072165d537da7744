#include "emulator/machine/code/loaded_program.h"

#include <algorithm>

#include "emulator/isa/decode/instruction.h"

namespace zetl::emulator::machine {
namespace {

using isa::Instruction;
using isa::SharedFunction;

constexpr uint32_t kEngineBytes = 64;  // operand bytes an engine takes in one issue slot
constexpr uint8_t kMathSlots = 4;      // extended math runs at a quarter of the rate

// Fields of message descriptors (facts: LSC descriptor, legacy dc1, gateway).
constexpr uint32_t kLscOperation = 0x3f;
constexpr uint32_t kLscFence = 0x1f;
constexpr uint32_t kGatewayFunction = 7, kBarrierSignal = 4;
constexpr uint32_t kLocalBinding = 0xfe;

enum class Direction : uint8_t { load, store, atomic, fence };

Direction directionOf(uint32_t operation) noexcept {
    if (operation <= 0x03) return Direction::load;
    if (operation <= 0x07 || operation == 0x1c) return Direction::store;
    return operation == kLscFence ? Direction::fence : Direction::atomic;
}

Counter lscCounter(uint32_t descriptor, bool local) noexcept {
    const uint32_t surface = descriptor >> 29 & 3;
    const Direction direction = directionOf(descriptor & kLscOperation);
    if (direction == Direction::fence) return Counter::fences;
    if (!local && surface != 0) return Counter::count_;  // scratch and arguments
    switch (direction) {
        case Direction::load:
            return local ? Counter::slmReads : Counter::globalReads;
        case Direction::store:
            return local ? Counter::slmWrites : Counter::globalWrites;
        default:
            return local ? Counter::slmAtomics : Counter::globalAtomics;
    }
}

Counter messageCounter(const isa::Message& message) noexcept {
    if (message.descriptorInRegister) return Counter::count_;
    switch (message.function) {
        case SharedFunction::ugm:
            return lscCounter(message.descriptor, false);
        case SharedFunction::slm:
            return lscCounter(message.descriptor, true);
        case SharedFunction::dc1:
            return (message.descriptor & 0xff) == kLocalBinding ? Counter::slmAtomics : Counter::globalAtomics;
        case SharedFunction::gateway:
            return (message.descriptor & kGatewayFunction) == kBarrierSignal ? Counter::barriers : Counter::count_;
        default:
            return Counter::count_;
    }
}

bool computesReal(const Instruction& i) noexcept {
    const auto real = [](const isa::Operand& operand) {
        return operand.kind != isa::Operand::Kind::none && isa::isReal(operand.type);
    };
    return real(i.destination) || std::any_of(i.source.begin(), i.source.begin() + i.sources, real);
}

uint8_t slots(const Instruction& i) noexcept {
    uint32_t bytes = isa::byteSize(i.destination.type);
    for (uint32_t s = 0; s < i.sources; ++s) {
        if (i.source[s].kind != isa::Operand::Kind::none) bytes = std::max(bytes, isa::byteSize(i.source[s].type));
    }
    return static_cast<uint8_t>(std::max(1u, i.width * bytes / kEngineBytes));
}

}  // namespace

LineInfo classify(const Instruction& i) noexcept {
    const isa::OpcodeInfo* opcode = isa::findOpcode(static_cast<uint8_t>(i.opcode));
    if (opcode == nullptr) return {};
    switch (opcode->format) {
        case isa::Format::control:
        case isa::Format::sync:
            return {Counter::otherInstructions, Counter::count_, 1};
        case isa::Format::branch:
            return {Counter::controlInstructions, Counter::count_, 1};
        case isa::Format::send:
            return {Counter::sendInstructions, messageCounter(i.message), 1};
        case isa::Format::systolic:
            return {Counter::matrixInstructions, Counter::count_, slots(i)};
        case isa::Format::math:
            return {Counter::mathInstructions, Counter::count_, static_cast<uint8_t>(slots(i) * kMathSlots)};
        default:
            return {computesReal(i) ? Counter::floatInstructions : Counter::integerInstructions, Counter::count_,
                    slots(i)};
    }
}

void RetiredLines::add(const Tile& tile, const std::vector<uint64_t>& executed) {
    std::lock_guard guard(mutex_);
    std::vector<uint64_t>& sum = counts_[&tile];
    sum.resize(std::max(sum.size(), executed.size()));
    for (size_t line = 0; line < executed.size(); ++line) sum[line] += executed[line];
}

std::vector<uint64_t> RetiredLines::of(const Tile& tile, size_t lines) const {
    std::lock_guard guard(mutex_);
    const auto found = counts_.find(&tile);
    std::vector<uint64_t> sum = found == counts_.end() ? std::vector<uint64_t>() : found->second;
    sum.resize(lines);
    return sum;
}

LoadedProgram::LoadedProgram(std::span<const std::byte> code, const isa::LowerOptions& options)
    : program(isa::lower(code, options)) {
    lines.reserve(program->lineCount());
    for (isa::Line line = 0; line < program->lineCount(); ++line) lines.push_back(classify(program->instruction(line)));
}

}  // namespace zetl::emulator::machine
