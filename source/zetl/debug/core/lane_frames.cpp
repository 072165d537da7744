#include "core/lane_frames.h"

#include <dwarf.h>
#include <ze_tools_layer/lane_memory.h>

#include <utility>

#include "core/byte_reader.h"
#include "core/frame_table.h"
#include "core/memory.h"
#include "core/stopped_thread.h"

namespace zetl::debugger {
namespace {

/// The words of a frame, for one lane.
class LaneWords {
  public:
    LaneWords(const LaneStack& stack, const LaneFrame& frame, StoppedThread& thread, const Memory& memory)
        : stack_(stack), frame_(frame), thread_(thread), memory_(memory), lane_(firstLaneIn(thread.activeLanes())) {}

    std::optional<std::uint64_t> word(unsigned index) const {
        const auto piece = pieceOf(stack_, index, frame_, thread_, lane_);
        if (piece.kind == Piece::Kind::registerBits) return inRegister(piece);
        if (piece.kind != Piece::Kind::laneMemory) return std::nullopt;
        const auto bytes = memory_.readOwn(thread_.id(), ZETL_DEBUG_MEMORY_SPACE_PRIVATE,
                                           ZETL_PRIVATE_ADDRESS(lane_, piece.address), stack_.bits / 8);
        return bytes ? std::optional(bitsOf(*bytes, 0, stack_.bits)) : std::nullopt;
    }

  private:
    std::optional<std::uint64_t> inRegister(const Piece& piece) const {
        const auto bytes = thread_.architecture().readNumbered(thread_, piece.number);
        return bytes ? std::optional(bitsOf(*bytes, piece.firstBit, stack_.bits)) : std::nullopt;
    }

    const LaneStack& stack_;
    const LaneFrame& frame_;
    StoppedThread& thread_;
    const Memory& memory_;
    const unsigned lane_;
};

/// NVIDIA's compiler writes the return address of a function without a stack as an address, which the loader has moved,
/// and a register that is added to it.
std::optional<std::uint64_t> sumIn(const FrameRule& rule, const LaneStack& stack, const LaneWords& words) try {
    ByteReader in(rule.expression);
    std::uint64_t sum = 0;
    while (!in.atEnd()) {
        const auto operation = in.u8();
        if (operation == DW_OP_addr) {
            sum += in.u64();
        } else if (operation == DW_OP_bregx) {
            const auto index = stack.indexOf(in.uleb());
            const auto word = index ? words.word(*index) : std::nullopt;
            if (!word) return std::nullopt;
            sum += *word + static_cast<std::uint64_t>(in.sleb());
        } else if (operation != DW_OP_plus) {
            return std::nullopt;
        }
    }
    return sum;
} catch (const Failure&) {
    return std::nullopt;
}

std::optional<std::uint64_t> returnAddress(const FrameRow& row, const LaneStack& stack, const LaneWords& words) {
    if (const auto rule = row.registers.find(row.returnRegister);
        rule != row.registers.end() && rule->second.kind == FrameRule::Kind::computed)
        return sumIn(rule->second, stack, words);
    const auto index = stack.indexOf(row.returnRegister);
    if (!index) return std::nullopt;  // of a kernel
    const auto low = words.word(*index);
    const auto high = words.word(*index + 1);
    if (!low || !high) return std::nullopt;
    return *high << stack.bits | *low;
}

/// Where the callee's rule says that a register of the caller is.
SavedWord savedBy(const FrameRule& rule, const LaneStack& stack, unsigned index, const LaneFrame& callee,
                  std::int64_t canonical) {
    switch (rule.kind) {
        case FrameRule::Kind::same:
            return callee.at(index);
        case FrameRule::Kind::atOffset:
            return {SavedWord::Kind::onStack, 0, canonical + rule.offset};
        case FrameRule::Kind::inRegister:
            if (const auto holder = stack.indexOf(rule.number)) return callee.at(*holder);
            return {};
        default:
            return {};
    }
}

}  // namespace

SavedWord LaneFrame::at(unsigned index) const {
    const auto found = words.find(index);
    return found != words.end() ? found->second : SavedWord{SavedWord::Kind::inRegister, index, 0};
}

Piece pieceOf(const LaneStack& stack, unsigned index, const LaneFrame& frame, StoppedThread& thread, unsigned lane) {
    const auto inRegister = [&](unsigned which) {
        return Piece{.kind = Piece::Kind::registerBits,
                     .number = stack.firstPiece + which,
                     .firstBit = std::uint64_t{lane} * stack.bits,
                     .bits = stack.bits};
    };
    const auto word = frame.at(index);
    const bool isMoved = index == stack.pointer && frame.stackBytes != 0;
    if (word.kind == SavedWord::Kind::inRegister && !isMoved) return inRegister(word.index);
    if (word.kind == SavedWord::Kind::gone) return {};
    const auto pointer = inRegister(stack.pointer);
    const auto bytes = thread.architecture().readNumbered(thread, pointer.number);
    if (!bytes) return {};
    const auto top = bitsOf(*bytes, pointer.firstBit, stack.bits);
    if (isMoved)
        return {.kind = Piece::Kind::value,
                .bits = stack.bits,
                .value = top + static_cast<std::uint64_t>(frame.stackBytes)};
    return {.kind = Piece::Kind::laneMemory,
            .address = (top + static_cast<std::uint64_t>(word.offset)) & UINT32_MAX,
            .bits = stack.bits};
}

std::optional<LaneCaller> callerOnLaneStack(const LaneStack& stack, const FrameRow& row, const LaneFrame& callee,
                                            StoppedThread& thread, const Memory& memory) {
    if (stack.indexOf(row.baseRegister) != stack.pointer) return std::nullopt;
    const auto canonical = callee.stackBytes + static_cast<std::int64_t>(row.baseOffset);
    LaneFrame caller{callee.words, canonical, true};
    for (const auto& [number, rule] : row.registers)
        if (const auto index = stack.indexOf(number); index && *index != stack.pointer)
            caller.words[*index] = savedBy(rule, stack, *index, callee, canonical);
    // A function moves the return address as it does other registers of its caller.
    const auto address = returnAddress(row, stack, LaneWords(stack, caller, thread, memory));
    if (!address) return std::nullopt;
    return LaneCaller{*address, std::move(caller)};
}

}  // namespace zetl::debugger
