// AVX-512 for hosts that have AVX2: takes what the emitter writes and assembles, for each instruction, some that do the
// same.
//
// A register of 64 bytes is two of 32. zmm0 to zmm5, which are temporary, are ymm0 to ymm5 and ymm8 to ymm13; xmm6 is
// itself; all others lie in the function's frame, mask registers too, so that a held register of the emulated thread is
// an operand in the host's first-level cache. ymm7, ymm14 and ymm15 are for what an instruction takes in between.
//
// Two promises of AVX-512 are not kept, which the emitter must not build on: a result of 16 or 32 bytes does not clear
// what is behind it in its register, and a scatter loses the flags.
//
//   avx2_assembler.cpp  which instruction goes where, operands, frame, constants
//   lane_wise.cpp       the same operation on every lane
//   masks.cpp           mask registers, comparisons, results of some lanes only
//   resizing.cpp        lanes that become wider or narrower, parts, broadcasts
//   scattered.cpp       gathers and scatters
//   called.cpp          what becomes a call of C++, since hosts with AVX2 have nothing like it
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "emulator/translate/assembler/host_assembler.h"

namespace zetl::emulator::translate {

class Avx2Assembler final : public HostAssembler {
  public:
    /// Whether this processor has what is assembled here.
    static bool runsHere() noexcept;

    void enterFrame() override;
    void leaveFrame() override;
    void finish() override;
    void stackHas(std::int32_t bytes) override { pushed_ = bytes; }

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

    /// An instruction of AVX-512 as the emitter wrote it.
    struct Wide {
        InstId id;
        std::array<Operand, 4> operand;
        std::uint32_t mask = 0;   ///< number of the mask register; 0: all lanes
        bool zeroes = false;      ///< lanes that are off become zero
        std::uint32_t bytes = 0;  ///< of the widest vector
        std::uint32_t halves() const noexcept { return bytes > 32 ? 2 : 1; }
        std::uint8_t immediate(std::size_t number) const noexcept {
            return static_cast<std::uint8_t>(operand[number].as<asmjit::Imm>().value());
        }
    };
    /// How an instruction that does the same to every lane is called in AVX2.
    struct LaneWise {
        InstId wide;
        InstId narrow;
        std::uint8_t laneBytes;
        std::uint8_t sources;  ///< vectors
        bool accumulates;      ///< the destination is another
    };
    static const LaneWise* findLaneWise(InstId id) noexcept;

    // ---- avx2_assembler.cpp ----
    bool assemble(const Wide& i);
    /// Assembles as it is.
    asmjit::Error put(InstId id, const Operand& a = {}, const Operand& b = {}, const Operand& c = {},
                      const Operand& d = {});
    static bool inRegister(const Operand& vector) noexcept;
    /// Whether it is memory that is not the thread's own state, where only lanes that are on may be touched.
    static bool isForeign(const Operand& operand) noexcept;
    /// 32 bytes of an operand, or 16 if it has no more: a register, or memory.
    Operand half(const Operand& operand, std::uint32_t number) const;
    /// Some bytes of an operand in memory or a register of 32 bytes: memory, or a register whose low bytes they are.
    Operand part(const Operand& operand, std::uint32_t offset, std::uint32_t bytes, const Vec& into);
    /// The operand, loaded if it is in memory.
    Vec loaded(const Operand& operand, const Vec& into);
    /// A register of an operand's size.
    static Vec sized(std::uint32_t number, std::uint32_t bytes);
    static std::uint32_t bytesOf(const Operand& operand) noexcept;
    /// Writes half a result, or the lanes of it that are on.
    bool finishHalf(const Wide& i, std::uint32_t number, const Vec& value, std::uint32_t laneBytes);
    Mem frame(std::int32_t offset, std::uint32_t bytes) const;
    Mem maskPlace(std::uint32_t number, std::uint32_t bytes) const;
    Mem constant(std::size_t place, std::uint32_t bytes);
    void noteStack(InstId id, const Operand& a, const Operand& b);

    // ---- lane_wise.cpp ----
    bool laneWise(const Wide& i);
    bool shiftSigned(const Wide& i);
    bool product(const Wide& i);
    bool byTruthTable(const Wide& i);
    void truth(std::uint32_t table, const Vec& to, const Operand& b, const Operand& c);
    bool extreme(const Wide& i);
    bool move(const Wide& i);
    bool moveScalar(const Wide& i);

    // ---- masks.cpp ----
    bool onMasks(const Wide& i);
    bool moveMask(const Wide& i);
    bool compare(const Wide& i);
    void compareHalf(const Wide& i, std::uint32_t number, const Vec& to);
    void pack(const Wide& i, std::uint32_t laneBytes);
    void spreadMask(std::uint32_t mask, std::uint32_t half, std::uint32_t laneBytes, const Vec& to);
    bool maskToLanes(const Wide& i);
    bool blend(const Wide& i);
    bool testMasks(const Wide& i);
    void jumpOnTested(InstId& jump);

    // ---- resizing.cpp ----
    bool resize(const Wide& i);
    bool widen(const Wide& i, InstId narrow, std::uint32_t from, std::uint32_t laneBytes);
    bool narrow(const Wide& i);
    void lowDwords(const Wide& i);
    void packDwords(const Wide& i, bool made, std::uint32_t to);
    void putPart(const Operand& to, std::uint32_t bytes);
    bool convertNarrower(const Wide& i);
    bool extract(const Wide& i);
    bool insert(const Wide& i);
    bool broadcast(const Wide& i);

    // ---- scattered.cpp ----
    bool scattered(const Wide& i);
    bool gather(const Wide& i, std::uint32_t indexBytes, std::uint32_t laneBytes);
    bool scatter(const Wide& i, std::uint32_t indexBytes, std::uint32_t laneBytes);
    Mem inMemory(const Operand& vector, std::int32_t spare);

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
    std::optional<Tested> tested_;          ///< by kortest, whose flags the jump behind it asks for
    std::int32_t pushed_ = 0;               ///< bytes on the stack below the frame
    std::optional<std::int32_t> calledAt_;  ///< pushed_ wherever C++ is called
    asmjit::Label constants_;
    asmjit::Label trampoline_;
};

}  // namespace zetl::emulator::translate
