#include "instrumentation/xe/code_edit.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "instrumentation/xe/branch.h"

namespace zetl::instrumentation {
namespace {

namespace xe = isa::xe;
using xe::Opcode;

constexpr std::uint32_t kInstructionBytes = 16;
// Where the distances of a branch lie in its 16 bytes.
constexpr std::uint32_t kNearField = 12;
constexpr std::uint32_t kFarField = 8;

bool hasFar(Opcode opcode) noexcept {
    constexpr Opcode kTwo[] = {Opcode::jumpTo,    Opcode::brc,          Opcode::branchIf, Opcode::branchElse,
                               Opcode::breakLoop, Opcode::continueLoop, Opcode::halt};
    return std::ranges::find(kTwo, opcode) != std::end(kTwo);
}
bool hasNear(const xe::Instruction& in) noexcept {
    return xe::findOpcode(static_cast<std::uint8_t>(in.opcode))->format == xe::Format::branch && !in.targetInRegister &&
           in.opcode != Opcode::ret && in.opcode != Opcode::calla;
}

/// Lanes that wait for it are turned on again.
bool wakes(const xe::Instruction& in) noexcept { return in.opcode == Opcode::join || in.opcode == Opcode::endif; }

bool readsInstructionPointer(const xe::Instruction& in) noexcept {
    const auto reads = [](const xe::Operand& operand) { return operand.isArf(xe::ArchitectureRegister::ip); };
    return std::ranges::any_of(in.source, reads);
}

void store(std::span<std::uint8_t> encoded, std::uint32_t field, std::uint32_t distance) {
    std::memcpy(&encoded[field], &distance, sizeof distance);
}

bool wholeInstructions(const xe::Architecture& architecture, std::span<const std::uint8_t> bytes) {
    const DecodedCode code(architecture, bytes);
    const auto branches = [](const xe::Instruction& in) { return endsBlock(in); };
    return !bytes.empty() && code.end() == bytes.size() && std::ranges::none_of(code.instructions(), branches);
}

}  // namespace

std::uint32_t Movement::place(std::uint32_t old) const noexcept {
    const auto above = std::ranges::upper_bound(inserted_, old, {}, &Inserted::at);
    if (above == inserted_.begin()) return old;
    return old + std::prev(above)->before + std::prev(above)->bytes;
}

std::uint32_t Movement::target(std::uint32_t old) const noexcept {
    const auto found = std::ranges::lower_bound(inserted_, old, {}, &Inserted::at);
    return found != inserted_.end() && found->at == old ? old + found->before : place(old);
}

bool CodeEdit::admits(std::uint32_t instruction) const {
    if (instruction >= code_.instructions().size() || !graph_.obstacle().empty()) return false;
    const auto first = graph_.blocks()[graph_.blockOf(instruction)].first;
    return std::ranges::none_of(code_.instructions().subspan(first, instruction - first), readsInstructionPointer);
}

bool CodeEdit::insertBefore(std::uint32_t instruction, std::span<const std::uint8_t> inserted) {
    if (!admits(instruction) || !wholeInstructions(code_.architecture(), inserted)) return false;
    auto& code = inserted_[instruction];
    const auto& in = code_.instructions()[instruction];
    // Lanes wait at the address to which branches lead: a join of its own, which goes on behind itself with any lanes.
    if (code.empty() && wakes(in)) {
        const auto original = bytes_.subspan(in.ip, in.bytes);
        code.assign(original.begin(), original.end());
        store(code, kNearField, kInstructionBytes);
    }
    code.insert(code.end(), inserted.begin(), inserted.end());
    return true;
}

void CodeEdit::moveBranch(const xe::Instruction& in, const Movement& movement, std::span<std::uint8_t> encoded) const {
    const auto distance = [&](std::int32_t old) {
        return movement.target(in.ip + static_cast<std::uint32_t>(old)) - movement.place(in.ip);
    };
    if (hasNear(in)) store(encoded, kNearField, distance(in.jip));
    if (hasFar(in.opcode) && hasNear(in)) store(encoded, kFarField, distance(in.uip));
}

Movement CodeEdit::movement() const {
    Movement movement;
    for (const auto& [instruction, code] : inserted_) {
        const std::uint32_t before = movement.growth();
        movement.inserted_.push_back(
            {code_.instructions()[instruction].ip, static_cast<std::uint32_t>(code.size()), before});
    }
    return movement;
}

CodeEdit::Result CodeEdit::apply() const {
    Result result{.bytes = {}, .movement = movement()};
    result.bytes.reserve(bytes_.size() + result.movement.growth());
    for (std::uint32_t i = 0; i < code_.instructions().size(); ++i) {
        const auto& in = code_.instructions()[i];
        if (const auto found = inserted_.find(i); found != inserted_.end())
            result.bytes.insert(result.bytes.end(), found->second.begin(), found->second.end());
        const std::size_t at = result.bytes.size();
        const auto original = bytes_.subspan(in.ip, in.bytes);
        result.bytes.insert(result.bytes.end(), original.begin(), original.end());
        moveBranch(in, result.movement, std::span(result.bytes).subspan(at));
    }
    const auto padding = bytes_.subspan(code_.end());
    result.bytes.insert(result.bytes.end(), padding.begin(), padding.end());
    return result;
}

}  // namespace zetl::instrumentation
