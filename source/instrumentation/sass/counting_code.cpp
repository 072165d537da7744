// The encodings are those of NVIDIA's compiler for the text beside them (sm_90; nvdisasm reads them as the same for
// sm_80, sm_86 and sm_89), with the numbers of registers put into their fields.
#include "instrumentation/sass/counting_code.h"

#include "isa/sass/instruction.h"

namespace zetl::instrumentation::sass {

using namespace isa::sass;

namespace {

/// How it becomes known that an instruction is done with its registers.
enum class Latency : std::uint8_t {
    fixed,     ///< after the number of cycles in its own wait field
    result,    ///< it has written its result: by a scoreboard entry
    operands,  ///< it has read its operands: by a scoreboard entry
};

/// All wait for all six scoreboard entries, and 15 cycles pass behind each.
constexpr std::uint64_t scheduling(Latency latency) {
    constexpr std::uint64_t kCycles = 15;
    constexpr std::uint64_t kAllEntries = 0x3f;
    constexpr std::uint64_t kEntry = 0;
    constexpr std::uint64_t kNone = 7;
    const std::uint64_t result = latency == Latency::result ? kEntry : kNone;
    const std::uint64_t operands = latency == Latency::operands ? kEntry : kNone;
    return kCycles | result << 5 | operands << 8 | kAllEntries << 11;
}
constexpr unsigned kSchedulingAt = 41;  // in the high word

constexpr unsigned kDestination = 16;
constexpr unsigned kFirst = 24;
constexpr unsigned kSecond = 32;
constexpr unsigned kConstant = 40;    // in words of four bytes
constexpr std::uint64_t kZero = 255;  // RZ

constexpr Instruction instruction(std::uint64_t low, std::uint64_t high, Latency latency) {
    return {low, high | scheduling(latency) << kSchedulingAt};
}

class Assembler {
  public:
    std::vector<std::uint8_t> code;

    void nop() { put(instruction(0x7918, 0, Latency::fixed)); }
    /// MOV target, value
    void move(std::uint32_t target, std::uint32_t value) {
        put(instruction(0x7802 | std::uint64_t{target} << kDestination | std::uint64_t{value} << kSecond, 0xf00,
                        Latency::fixed));
    }
    /// P2R target, PR, RZ, 0x1
    void savePredicate(std::uint32_t target) {
        put(instruction(0x00000001ff007803 | std::uint64_t{target} << kDestination, 0, Latency::fixed));
    }
    /// ISETP.NE.AND P0, PT, source, RZ, PT
    void restorePredicate(std::uint32_t source) {
        put(instruction(0x720c | std::uint64_t{source} << kFirst | kZero << kSecond, 0x03f05270, Latency::fixed));
    }
    /// VOTE.ANY target, PT, PT
    void lanesThatAreOn(std::uint32_t target) {
        put(instruction(0x7806 | std::uint64_t{target} << kDestination, 0x038e0100, Latency::fixed));
    }
    /// FLO.U32 target, source
    void highestBit(std::uint32_t target, std::uint32_t source) {
        put(instruction(0x7300 | std::uint64_t{target} << kDestination | std::uint64_t{source} << kSecond, 0x000e0000,
                        Latency::result));
    }
    /// S2R target, SR_LANEID
    void lane(std::uint32_t target) {
        put(instruction(0x7919 | std::uint64_t{target} << kDestination, 0, Latency::result));
    }
    /// ISETP.EQ.U32.AND P0, PT, a, b, PT
    void equal(std::uint32_t a, std::uint32_t b) {
        put(instruction(0x720c | std::uint64_t{a} << kFirst | std::uint64_t{b} << kSecond, 0x03f02070, Latency::fixed));
    }
    /// ULDC.64 target, c[0x0][offset]: how the kernel reaches global memory
    void descriptor(std::uint32_t target, std::uint32_t offset) {
        put(instruction(0x7ab9 | std::uint64_t{target} << kDestination | std::uint64_t{offset / 4} << kConstant, 0xa00,
                        Latency::fixed));
    }
    /// @P0 REDG.E.ADD.64.STRONG.GPU desc[descriptor][address.64], addend
    void add(std::uint32_t descriptor, std::uint32_t address, std::uint32_t addend) {
        put(instruction(0x098e | std::uint64_t{address} << kFirst | std::uint64_t{addend} << kSecond,
                        0x0c10e580 | descriptor, Latency::operands));
    }

  private:
    void put(const Instruction& in) { append(code, in); }
};

}  // namespace

std::vector<std::uint8_t> countingCode(const Scratch& scratch, std::uint64_t address, const Generation& generation) {
    const std::uint32_t addend = scratch.registers;  // first the lanes, and this one's number
    const std::uint32_t target = scratch.registers + 2;
    const std::uint32_t predicate = scratch.registers + 4;
    Assembler assembler;
    assembler.nop();  // until a predicate that is written just before has its value
    assembler.savePredicate(predicate);
    assembler.lanesThatAreOn(addend);
    assembler.highestBit(addend, addend);
    assembler.lane(addend + 1);
    assembler.equal(addend, addend + 1);
    assembler.move(addend, 1);
    assembler.move(addend + 1, 0);
    assembler.move(target, static_cast<std::uint32_t>(address));
    assembler.move(target + 1, static_cast<std::uint32_t>(address >> 32));
    assembler.descriptor(scratch.uniformRegisters, generation.memoryDescriptor);
    assembler.add(scratch.uniformRegisters, target, addend);
    assembler.restorePredicate(predicate);
    return std::move(assembler.code);
}

}  // namespace zetl::instrumentation::sass
