// Turns one decoded instruction into steps: fetch operands that are not plain lanes of the computing type, compute, and
// retire results that cannot be written directly. Split by concern over the files of this folder; the shared parts are
// here.
#pragma once

#include <string>
#include <unordered_map>

#include "emulator/isa/code.h"
#include "emulator/isa/meaning.h"

namespace zetl::emulator::isa {

/// Thrown while lowering a line that cannot be executed; it becomes a step that faults.
struct Refusal {
    FaultKind kind;
    std::string what;
};
[[noreturn]] void refuseInstruction(std::string what);
[[noreturn]] void refuseMessage(std::string what);
[[noreturn]] void refuseIllegal(std::string what);

/// Modifiers of a source, numbered as for the modify step.
enum Modifier : std::uint8_t { kNoModifier = 0, kAbsoluteValue = 1, kNegated = 2, kComplemented = 4 };

/// Appends a step of that width. Refused as illegal if there is no such handler.
Step& appendStep(StepList& list, Handler run, const Meaning& meaning, const LaneMask& mask, std::uint8_t width,
                 Line line);

/// How many bytes of general registers code may name.
std::uint32_t registerFileBytes(const Program::Code& code, std::uint32_t ip);

class Lowering {
  public:
    struct RegisterFile {
        std::uint32_t begin;
        std::uint32_t stride;
        std::uint32_t bytes;  ///< 0: no such register
    };

    Lowering(Program::Code& code, Version version, const StepTable& table);

    /// Appends the steps of one line; lines must come in order.
    void add(Line line);
    /// Call it after the last line: code that runs off the end faults, and branches get their target steps.
    void finish();

  private:
    // ---- emission ----
    /// A step that is not in the table.
    Step& emit(Handler run, const Meaning& meaning = {});
    Step& emit(const Meaning& meaning) { return emit(handlerOf(table_, meaning), meaning); }
    Step& emit(Family flow) { return emit({.family = flow}); }
    std::uint32_t stepCount() const { return static_cast<std::uint32_t>(body_.steps.size()); }
    Line lineOf(const Instruction& in) const;
    Line currentLine() const { return static_cast<Line>(body_.start.size() - 1); }
    void refuseLine(const Refusal& r);
    void lowerLine(const Instruction& in);
    bool allLanesOn() const;

    // ---- operands: operands.cpp ----
    RegisterFile registerFile(ArchitectureRegister which) const;
    std::uint32_t place(const Operand& o, std::uint32_t extent) const;
    std::uint32_t sourcePlace(const Operand& o, std::uint32_t extent);
    std::uint64_t constant(const std::array<std::uint64_t, 32>& lanes);
    std::uint64_t zeros() { return constant({}); }
    std::uint64_t immediate(const Operand& o, std::uint8_t modifiers, LaneType e);
    std::uint64_t region(const std::array<std::uint16_t, 32>& offsets);
    std::uint64_t gatherRegion(const Operand& o, std::uint32_t elementBytes);
    std::uint64_t fetch(const Operand& o, DataType readAs, std::uint8_t modifiers, LaneType e, int buffer);
    void readSources(const Instruction& in, LaneType e, std::uint64_t (&src)[3]);

    // ---- results: results.cpp ----
    std::uint32_t destinationPlace(const Operand& d);
    void retire(const Operand& d, DataType type, std::uint64_t from, LaneType e, const LaneMask& mask);
    void retireIndirect(const Operand& d, DataType type, std::uint64_t from, LaneType e, const LaneMask& mask);
    bool keepsWideAccumulator() const;
    void shadowAccumulator(const Operand& d, std::uint64_t from, LaneType e, const LaneMask& mask);
    void afterWrite(const Operand& d);
    void setFlags(std::uint64_t lanes, LaneType e, int condition);
    bool partial(const LaneMask& mask) const;
    bool isDirect(const Instruction& in, LaneType e, const LaneMask& mask, const std::uint64_t (&src)[3]) const;

    // ---- arithmetic: arithmetic.cpp ----
    void arithmetic(Instruction in);
    bool mayRound(const Instruction& in, LaneType e) const;
    void compareLanes(const Instruction& in, LaneType e, const std::uint64_t (&src)[3]);
    void computeLanes(const Instruction& in, LaneType e, const std::uint64_t (&src)[3]);
    Step& computeStep(const Instruction& in, LaneType e, const std::uint64_t (&src)[3], int row, std::uint32_t dst,
                      bool masked);
    std::uint64_t shortCount(std::uint64_t count);
    std::uint64_t accumulatorLanes(const Instruction& in, LaneType e);
    void showFlags(const Instruction& in, LaneType e, std::uint32_t shownAt);
    std::uint32_t finishResult(const Instruction& in, LaneType e, const LaneMask& mask);
    std::uint32_t highProduct(const Instruction& in, LaneType e, const LaneMask& mask);
    void judgeIntegers(const Instruction& in);
    void judgeReals(const Instruction& in, LaneType e, const std::uint64_t (&src)[3]);

    // ---- steps that are one for host code: whole.cpp ----
    void mark(Whole whole, std::uint32_t first, std::uint32_t end);
    void markNegative(std::uint32_t load);
    void markMove(const Operand& d);
    void markCompare(std::uint32_t compare);
    void markFlagLanes(const Operand& d, std::uint32_t compare);
    void markProduct(const Operand& d, std::uint32_t compute);
    void markLongProduct(const std::uint64_t (&src)[3], std::uint32_t compute);
    void markPick(const Operand& d, std::uint32_t compute);
    void markWords(const Instruction& in, const std::uint64_t (&src)[3], std::uint32_t compute);

    // ---- what came with Xe3P: xe3p.cpp ----
    void longProduct(const Instruction& in);
    void shuffle(const Instruction& in);

    // ---- matrices: systolic.cpp ----
    void systolic(const Instruction& in);

    // ---- messages: message.cpp ----
    void message(const Instruction& in);
    std::uint32_t nextWindow(const Instruction& in);

    // ---- control flow: flow.cpp ----
    void branch(const Instruction& in);
    void branchToRegister(const Instruction& in);
    void sync(const Instruction& in);
    Line targetLine(const Instruction& in, std::int32_t distance) const;

    Program::Code& code_;
    Program::Code::Body& body_;
    const StepTable& table_;
    Version version_;
    const Instruction* in_ = nullptr;
    LaneMask mask_;
    bool wide_ = false;
    std::uint32_t wideMessages_ = 0;
    std::uint32_t narrowMessages_ = 0;
    /// The step that brings a source to lanes, and the modifiers that later ones apply.
    struct Load {
        static constexpr std::uint32_t kNone = ~0u;
        std::uint32_t step = kNone;
        std::uint8_t modifiers = kNoModifier;
        bool isPlain() const noexcept { return step != kNone && modifiers == kNoModifier; }
    };
    std::array<Load, 3> loads_;
};

/// In elements.
constexpr unsigned strideOf(const Operand& destination) {
    return destination.mme >= 0 || !destination.horizontal ? 1 : destination.horizontal;
}
/// Types in which the lanes of an arithmetic instruction compute.
LaneType laneTypeOf(const Instruction& in);
/// The type as which source k is read: some operations extend with zeros whatever the type of the source is.
DataType readType(const Instruction& in, int k);

}  // namespace zetl::emulator::isa
