// AVX-512 for hosts that have AVX2: for each instruction that translation writes, assembles AVX2 instructions that do
// the same.
//
// A register of 64 bytes is two halves of 32. Thirteen registers of the host hold the halves that were used last; the
// others lie in the function's frame, or where they were loaded from, and are operands there. Mask registers lie in the
// frame. The result of a comparison stays lanes until its bits are needed, and lanes that were made of bits stay in
// registers as long as there is room. ymm7, ymm14 and ymm15 hold temporary values within one instruction.
//
// Translation must not rely on two promises of AVX-512 that are not kept: a result of 16 or 32 bytes does not clear the
// rest of its register, and a scatter loses the flags.
//
//   avx2_assembler.cpp  dispatch of instructions, operands, frame, constants
//   halves.cpp          halves in registers, in the frame and elsewhere
//   branches.cpp        jumps and labels: the content of registers where ways meet
//   lane_wise.cpp       the same operation on every lane
//   masks.cpp           mask registers
//   spreading.cpp       lanes from bits of masks, blends
//   comparisons.cpp     lanes that comparisons make, and their bits
//   resizing.cpp        lanes that become wider or narrower, parts, broadcasts
//   scattered.cpp       gathers and scatters
//   butterfly.cpp       stores of lanes that lie as the sides of a butterfly
//   called.cpp          instructions that become calls of C++, since AVX2 has nothing like them
//   vex.cpp             instructions of AVX2 as bytes, without asmjit
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "emulator/translate/assembler/host_assembler.h"
#include "emulator/translate/assembler/host_state.h"

namespace zetl::emulator::translate {

class Avx2Assembler final : public HostAssembler {
  public:
    /// Whether this processor has all instructions that are assembled here.
    static bool runsHere() noexcept;

    Avx2Assembler();
    void enterFrame() override;
    void leaveFrame() override;
    void finish() override;
    void stackHas(std::int32_t bytes) override { pushed_ = bytes; }
    void loadHeld(asmjit::InstId move, const asmjit::x86::Zmm& to, const asmjit::x86::Mem& from,
                  const void* contents) override;
    void reloadHeld(asmjit::InstId, const asmjit::x86::Zmm&, const asmjit::x86::Mem&) override {}  // it is in the frame
    void storeHeld(asmjit::InstId move, const asmjit::x86::Mem& to, const asmjit::x86::Zmm& from) override;
    void storeHeldToo(asmjit::InstId move, const asmjit::x86::Mem& to, const asmjit::x86::Zmm& from) override;
    void pickDwords(const asmjit::x86::Zmm& to, std::span<const asmjit::Operand> vectors, const DwordNumbers& numbers,
                    const asmjit::x86::Mem& order) override;
    void jumpIfAnyHas(const asmjit::x86::Zmm& lanes, const asmjit::x86::Mem& bits, const asmjit::Label& to) override;
    void mayBeStored(std::uint32_t number, std::uint32_t place) override;
    void mayNotBeStored(std::uint32_t number) override { state_.homes[number] = 0; }
    bool hasExpansion() const noexcept override { return false; }
    bool hasFewRegisters() const noexcept override { return true; }
    bool storesEarly() const noexcept override { return true; }
    void forgetHeld(std::uint32_t first, std::uint32_t end) override;
    void forgetHeldLater(std::uint32_t number) override { leaving_ |= 3ull << 2 * number; }
    void forgetTemporaries() override;
    void forgetIntermediates() override;
    void forgetTestedMasks() override { forgetsTested_ = true; }
    void endsWays(const asmjit::Label& label) override { targetOf(label).ends = true; }
    bool storesButterflies() const noexcept override { return true; }
    void storeButterfly(const asmjit::x86::Zmm& places, const asmjit::x86::Zmm& data,
                        const asmjit::Label& otherwise) override;
    void writesAlone(bool alone) override { writesAlone_ = alone; }
    void forgetLanes() override;
    void beginsBlock(const asmjit::Label& label) override { targetOf(label).block = true; }
    void beginsSeldom(const asmjit::Label& label) override { targetOf(label).seldom = true; }
    asmjit::Error bind(const asmjit::Label& label) override;

  protected:
    asmjit::Error _emit(asmjit::InstId id, const asmjit::Operand_& o0, const asmjit::Operand_& o1,
                        const asmjit::Operand_& o2, const asmjit::Operand_* more) override;

  private:
    using Operand = asmjit::Operand_;
    using InstId = asmjit::InstId;
    using Mem = asmjit::x86::Mem;
    using Vec = asmjit::x86::Vec;
    using Ymm = asmjit::x86::Ymm;
    using Xmm = asmjit::x86::Xmm;
    using Gp = asmjit::x86::Gp;
    using Label = asmjit::Label;
    using State = avx2::HostState;

    /// An instruction of AVX-512 as translation wrote it.
    struct Wide {
        InstId id;
        std::array<Operand, 4> operand;
        std::uint32_t mask = 0;   ///< number of the mask register; 0: all lanes
        bool zeroes = false;      ///< lanes that are off become zero
        std::uint32_t bytes = 0;  ///< size of the widest vector
        std::uint32_t halves() const noexcept { return bytes > 32 ? 2 : 1; }
        std::uint8_t immediate(std::size_t number) const noexcept {
            return static_cast<std::uint8_t>(operand[number].as<asmjit::Imm>().value());
        }
    };

    // ---- avx2_assembler.cpp ----
    bool assemble(const Wide& i);
    asmjit::Error passOn(InstId id, const Operand& o0, const Operand& o1, const Operand& o2, const Operand* more);
    asmjit::Error refuse(InstId id);
    /// Assembles the instruction unchanged.
    asmjit::Error put(InstId id, const Operand& a = {}, const Operand& b = {}, const Operand& c = {},
                      const Operand& d = {});
    bool putVex(InstId id, const Operand& a, const Operand& b, const Operand& c, const Operand& d);
    void resolveReferences();
    /// Whether the operand is memory outside the thread's own state, where only lanes that are on may be touched.
    static bool isForeign(const Operand& operand) noexcept;
    /// A register with the size of an operand.
    static Vec sized(std::uint32_t number, std::uint32_t bytes);
    static std::uint32_t bytesOf(const Operand& operand) noexcept;
    Mem frame(std::int32_t offset, std::uint32_t bytes) const;
    Mem maskPlace(std::uint32_t number, std::uint32_t bytes) const;
    Mem constant(std::size_t place, std::uint32_t bytes);
    void noteStack(InstId id, const Operand& a, const Operand& b);

    // ---- halves.cpp ----
    static std::uint32_t halfOf(const Operand& vector, std::uint32_t number) noexcept {
        return 2 * vector.id() + number;
    }
    /// From now on, registers that were handed out before may be given to others.
    void release() noexcept {
        ++time_;
        recent_ = later_;
        later_ = 0;
    }
    void use(std::uint32_t number) noexcept {
        used_[number] = time_;
        recent_ |= 1u << number;
    }
    /// Keeps the register through the next release(), too.
    void keepLonger(std::uint32_t number) noexcept { later_ |= 1u << number; }
    Vec fresh(std::uint32_t bytes);
    std::uint32_t oldestBut(std::uint32_t others);
    void vacate(std::uint32_t number);
    std::uint32_t pinnedRegisters() const noexcept;
    void own(std::uint32_t number, std::uint32_t half, bool dirty);
    void drop(std::uint32_t half);
    void forgetHalf(std::uint32_t half);
    void forgetMasks(std::uint32_t first, std::uint32_t end);
    Mem home(std::uint32_t half, std::uint32_t bytes) const;
    std::uint16_t memoryNumber(const Mem& memory);
    void storeHalf(std::uint32_t half);
    void storeAll();
    void dropRegisters();
    /// 32 bytes of an operand, or 16 if it has no more; in a register or in memory.
    Operand half(const Operand& operand, std::uint32_t number);
    /// The same in a register.
    Vec loaded(const Operand& operand, std::uint32_t number);
    /// Some bytes of an operand: in memory, or in the low bytes of a register.
    Operand part(const Operand& operand, std::uint32_t offset, std::uint32_t bytes, const Vec& into);
    /// The operand has this value from now on.
    void become(const Operand& operand, std::uint32_t number, const Vec& value);
    std::uint8_t rangeOf(const Operand& operand, std::uint32_t number) const noexcept;
    void noteRange(const Wide& i, std::uint32_t number, std::uint8_t range);
    /// Writes half a result, or the lanes of it that are on.
    bool finishHalf(const Wide& i, std::uint32_t number, const Vec& value, std::uint32_t laneBytes);

    // ---- branches.cpp ----
    struct Way {
        Label label;
        State state;
    };
    struct Target {
        std::vector<Way> ways;  ///< jumps to it from before
        Label place;            ///< for jumps from behind it
        bool block = false;
        bool seldom = false;
        bool ends = false;  ///< there are no jumps from behind it
        bool bound = false;
        std::unique_ptr<const State> state;  ///< the state where it is bound, unless a block begins there
    };
    /// The reference may become invalid when another label is added.
    Target& targetOf(const Operand& label);
    static bool isJump(InstId id) noexcept;
    asmjit::Error jump(InstId id, const Operand& to);
    Label wayTo(Target& target, const Label& label);
    State withHeldOnly() const;
    void bindWays(Target& target, const Label& label);
    State common(const Target& target) const;
    void keepRegisters(const Target& target, State& met) const;
    bool mustChange(const State& from, const State& to) const;
    void changeTo(const State& to);
    bool isMoved(const State& to, std::uint32_t half) const noexcept;
    bool isHeldOnBoth(const State& to, std::uint32_t number) const noexcept;
    void moveRegisters(std::array<std::uint8_t, 16> from);
    bool isAlike(const State& to) const;
    static bool isAlike(const State& from, const State& to, std::uint32_t half) noexcept;
    bool makeMemoryAlike(const State& to, std::uint32_t half);
    void beginAnew();
    void normalizeMasks();

    // ---- lane_wise.cpp ----
    bool laneWise(const Wide& i);
    static bool isZero(const Wide& i) noexcept;
    bool shiftSigned(const Wide& i);
    bool rotate(const Wide& i);
    bool product(const Wide& i);
    bool byTruthTable(const Wide& i);
    bool keep(const Wide& i);
    std::uint8_t rangeOfResult(const Wide& i, std::uint32_t number) const;
    void truth(std::uint32_t table, const Vec& to, const Operand& b, const Operand& c);
    bool extreme(const Wide& i);
    bool move(const Wide& i);
    bool moveScalar(const Wide& i);

    // ---- masks.cpp ----
    bool onMasks(const Wide& i);
    bool onLanes(const Wide& i, std::uint32_t bytes);
    bool onBits(const Wide& i, std::uint32_t bytes);
    bool joinMasks(const Wide& i, std::uint32_t bytes);
    bool shiftMask(const Wide& i, std::uint32_t bytes);
    bool shiftLanes(std::uint32_t number, std::uint32_t by);
    bool moveMask(const Wide& i, std::uint32_t bytes);
    void copyMask(std::uint32_t to, std::uint32_t from, std::uint32_t bytes, std::uint32_t shift);
    void beforeMaskChanges(std::uint32_t number);
    void maskIsStored(std::uint32_t number, std::uint32_t bits, std::uint32_t value = 0);
    void storeMask(std::uint32_t number);
    static bool hasBitsOf(const State::Mask& base, const State::Mask& part) noexcept {
        return base.value == part.value && base.shift <= part.shift && base.shift + base.bits >= part.shift + part.bits;
    }
    Mem bytesOfMask(std::uint32_t number, std::uint32_t bytes);
    void bitsTo(const Xmm& to, std::uint32_t mask);
    bool testMasks(const Wide& i);

    // ---- spreading.cpp ----
    bool maskToLanes(const Wide& i);
    bool blend(const Wide& i);
    std::optional<Vec> knownLanes(std::uint32_t mask, std::uint32_t half, std::uint32_t laneBytes, std::uint32_t bytes,
                                  bool signsDo);
    std::uint32_t placeOfBits(std::uint32_t mask);
    Vec bitsEverywhere(std::uint32_t place);
    bool isAll(std::uint32_t mask) const noexcept { return state_.masks[mask].value == State::kAllOnes; }
    void takeLanes(const Vec& lanes, std::uint32_t value, std::uint32_t first, std::uint32_t laneBytes);
    std::vector<Vec> lanesFor(std::uint32_t mask, std::uint32_t lanes, std::uint32_t laneBytes);
    Vec lanesOf(std::uint32_t mask, std::uint32_t half, std::uint32_t laneBytes, std::uint32_t bytes);
    Vec signsOf(std::uint32_t mask, std::uint32_t half, std::uint32_t laneBytes, std::uint32_t bytes);
    void checkLanes(std::uint32_t first, std::uint32_t laneBytes, std::uint32_t bytes);

    // ---- comparisons.cpp ----
    bool compare(const Wide& i);
    void compareHalf(const Wide& i, std::uint32_t number, const Vec& to);
    std::optional<Vec> findLanes(std::uint32_t value, std::uint32_t first, std::uint32_t laneBytes,
                                 std::uint32_t bytes);
    std::vector<Vec> pendingLanes(std::uint32_t mask);
    void bitsOfLanes(std::uint32_t mask, const Gp& to);
    void becomesPending(std::uint32_t mask, std::uint32_t value, std::uint32_t laneBytes, std::uint32_t lanes);
    void limitPending();
    void endTest(InstId& jump);
    void askTested(InstId& jump);
    bool askLanes(bool all);

    // ---- resizing.cpp ----
    bool resize(const Wide& i);
    bool widen(const Wide& i, InstId narrow, std::uint32_t from, std::uint32_t laneBytes);
    bool narrow(const Wide& i);
    Vec lowDwords(const Wide& i);
    Vec packWords(const Wide& i);
    Vec packDwords(const Wide& i, const std::optional<Vec>& made, std::uint32_t to);
    void putPart(const Operand& to, const Vec& value, std::uint32_t bytes);
    bool convertNarrower(const Wide& i);
    bool extract(const Wide& i);
    bool insert(const Wide& i);
    bool broadcast(const Wide& i);

    // ---- permuting.cpp ----
    bool permute(const Wide& i);
    Vec permuteHalf(const Vec& numbers, const std::vector<Operand>& vectors);
    Vec everySecondDword(const Operand& from, bool odd);
    Vec pickHalf(std::span<const asmjit::Operand> vectors, const DwordNumbers& numbers, const asmjit::x86::Mem& order,
                 std::uint32_t number);

    // ---- scattered.cpp ----
    bool scattered(const Wide& i);
    bool gather(const Wide& i, std::uint32_t indexBytes, std::uint32_t laneBytes);
    bool scatter(const Wide& i, std::uint32_t indexBytes, std::uint32_t laneBytes);
    void emitScatterers();
    void takeIndex(std::uint32_t lane, std::uint32_t indexBytes);
    void storeLane(std::uint32_t lane, std::uint32_t laneBytes, const Mem& to);

    // ---- butterfly.cpp ----
    void emitButterfly();

    // ---- called.cpp ----
    using Function = void (*)(std::byte* to, const std::byte* x, const std::byte* y, std::uint64_t extra);
    bool call(const Wide& i);
    void callFunction(Function function);
    void givePointer(std::uint32_t number, const Operand& vector, std::int32_t spare);
    void emitTrampoline();

    struct Tested {
        std::uint32_t mask;
        std::uint32_t bytes;
    };
    std::optional<Tested> tested_;          ///< by kortest; the jump behind it uses its flags
    std::int32_t pushed_ = 0;               ///< bytes on the stack below the frame
    std::optional<std::int32_t> calledAt_;  ///< pushed_ at every call of C++
    Label constants_;
    Label trampoline_;
    std::int32_t scattersAt_ = 0;  ///< pushed_ at every call of a scattering function
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool>, Label>
        scatterers_;  ///< by bytes of indices, their shift, bytes of lanes, and whether all are on
    Label butterfly_;
    std::int32_t butterflyAt_ = 0;  ///< pushed_ at every call of the function that stores one

    /// Four bytes of the code that hold a label's distance from the end of their instruction.
    struct Reference {
        std::uint32_t at;
        std::uint32_t end;
        std::uint32_t label;
    };
    std::vector<Reference> references_;

    State state_;
    std::uint64_t time_ = 1;
    std::array<std::uint64_t, 16> used_{};    ///< when each register was used last
    std::uint32_t recent_ = 0;                ///< registers that were handed out since release(), one bit each
    std::uint32_t later_ = 0;                 ///< registers that count as such after the next release(), too
    std::uint32_t values_ = State::kAllOnes;  ///< number of the newest value of a mask
    std::uint64_t leaving_ = 0;   ///< halves that are not read behind this step, unless they are written again
    bool forgetsTested_ = false;  ///< behind the next jump
    bool writesAlone_ = false;    ///< into memory that masked stores change
    bool failed_ = false;         ///< there was no register left, or ways do not meet
    std::vector<Mem> memories_;   ///< by number, from 1 on; without the thread's own
    std::unordered_map<std::uint64_t, std::uint16_t> numbers_;  ///< by base and offset
    std::vector<Target> labels_;                                ///< by their ids
};

}  // namespace zetl::emulator::translate
