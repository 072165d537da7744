#include "instrumentation/sass/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace zetl::instrumentation::sass {
namespace {

constexpr std::uint32_t kLine = 128;  ///< of the instruction cache; sections are filled up to one
constexpr std::uint32_t kWarp = 32;
constexpr std::size_t kMostBytes = 1 << 30;  ///< of code with what is inserted

std::uint32_t sizeOf(std::span<const std::uint8_t> bytes) { return static_cast<std::uint32_t>(bytes.size()); }

}  // namespace

SassSection::SassSection(Function function, const Generation& generation, const Scratch& scratch,
                         std::string programObstacle)
    : generation_(generation), instructions_(instructionsIn(function.code)), scratch_(scratch) {
    instructionSet = InstructionSet::sass;
    name = std::move(function.name);
    code = function.code;
    isKernel = function.launchable;
    simdWidth = isKernel ? kWarp : 0;
    registerCount = function.registers;
    FlowGraph graph = flowGraphOf(instructions_, function.entries, generation_);
    blocks = std::move(graph.blocks);
    gathered_ = std::move(graph.gathered);
    size_ = std::min(code.size(), kMostBytes);
    obstacle = programObstacle.empty() ? std::move(graph.obstacle) : std::move(programObstacle);
    if (code.size() % kInstructionBytes != 0) obstacle = "the section has no whole number of instructions";
}

std::vector<std::uint32_t> SassSection::instructions() const {
    std::vector<std::uint32_t> offsets;
    for (std::uint32_t i = 0; i < instructions_.size(); ++i) offsets.push_back(i * kInstructionBytes);
    return offsets;
}

std::string SassSection::text(std::uint32_t offset) const {
    if (offset % kInstructionBytes != 0 || offset / kInstructionBytes >= instructions_.size()) return {};
    const Instruction& in = instructions_[offset / kInstructionBytes];
    return fmt::format("{:#018x} {:#018x}", in.low, in.high);
}

bool SassSection::admits(std::uint32_t offset) const {
    return offset % kInstructionBytes == 0 && offset / kInstructionBytes < instructions_.size() &&
           instructions_[offset / kInstructionBytes].movable() && !gathered_.contains(offset);
}

std::optional<InsertedCode> SassSection::countingCode(std::uint32_t offset, std::uint64_t address) const {
    if (!obstacle.empty() || !admits(offset)) return std::nullopt;
    return InsertedCode(InstructionSet::sass, sass::countingCode(scratch_, address, generation_));
}

bool SassSection::insertBefore(std::uint32_t offset, std::span<const std::uint8_t> inserted) {
    if (!admits(offset) || inserted.size() % kInstructionBytes != 0 || inserted.size() > kMostBytes - size_)
        return false;
    size_ += inserted.size() + (detours_.contains(offset) ? 0 : 2 * kInstructionBytes);
    std::vector<std::uint8_t>& detour = detours_[offset];
    detour.insert(detour.end(), inserted.begin(), inserted.end());
    return true;
}

std::uint32_t SassSection::movedTo(std::uint32_t offset) const {
    if (!detours_.contains(offset)) return offset;
    std::uint32_t end = sizeOf(code);
    for (const auto& [at, inserted] : detours_) {
        if (at == offset) return end + sizeOf(inserted);
        end += sizeOf(inserted) + 2 * kInstructionBytes;
    }
    return offset;
}

std::uint64_t SassSection::writtenBytes() const {
    return changed() ? (size_ + kLine - 1) / kLine * kLine : code.size();
}

std::vector<std::uint8_t> SassSection::apply() const {
    std::vector<std::uint8_t> written(code.begin(), code.end());
    const auto distance = [](std::uint32_t from, std::uint32_t to) {
        return std::int64_t{to} - from - kInstructionBytes;
    };
    for (const auto& [offset, inserted] : detours_) {
        const Instruction there = branchBy(distance(offset, sizeOf(written)), generation_);
        std::memcpy(written.data() + offset, &there, kInstructionBytes);
        written.insert(written.end(), inserted.begin(), inserted.end());
        Instruction moved = instructions_[offset / kInstructionBytes];
        const std::uint32_t place = sizeOf(written);
        if (const auto displacement = moved.displacement(generation_))
            moved.setDisplacement(*displacement + std::int64_t{offset} - place, generation_);
        moved.keepNoOperands();
        append(written, moved);
        append(written, branchBy(distance(sizeOf(written), offset + kInstructionBytes), generation_));
    }
    while (written.size() < writtenBytes()) append(written, kNop);
    return written;
}

}  // namespace zetl::instrumentation::sass
