// One decoded instruction: the fields of its bits, with no meaning applied yet.
//
// Made by decode(); a plain value. Units: byte offsets in registers, bytes for branch distances.
#pragma once

#include <array>
#include <cstdint>

#include "isa/xe/data_type.h"
#include "isa/xe/opcodes.h"

namespace zetl::isa::xe {

/// The bit of an instruction's first word that makes a thread stop in front of it. `bytes`: of the instruction.
constexpr unsigned breakpointBit(unsigned bytes) noexcept { return bytes == 8 ? 7 : 30; }

/// The architecture register kinds: the high nibble of an ARF number, except that of the scalar register, which is the
/// stack pointer's.
enum class ArchitectureRegister : std::uint8_t {
    null,
    address,
    accumulator,
    flag,
    executionMask,
    message,
    stackPointer,
    status,
    control,
    notification,
    ip,
    dependency,
    timestamp,
    flowControl,
    reserved,
    debug,
    scalar,
};

struct Operand {
    enum class Kind : std::uint8_t { none, grf, arf, immediate };
    enum class Addressing : std::uint8_t { direct, indirect, indirectPerRow };

    Kind kind = Kind::none;
    DataType type = DataType::ud;
    Addressing addressing = Addressing::direct;
    bool absolute = false;
    bool negate = false;       ///< bitwise complement for and, or, xor, not
    std::uint16_t number = 0;  ///< register number; for arf the low nibble of it
    ArchitectureRegister arf = ArchitectureRegister::null;
    std::uint8_t subByte = 0;   ///< byte offset within the register
    std::uint8_t vertical = 0;  ///< region, in elements; a destination uses horizontal only
    std::uint8_t width = 1;
    std::uint8_t horizontal = 0;
    std::uint8_t addressSub = 0;     ///< indirect: which 16-bit part of a0
    std::int16_t addressOffset = 0;  ///< indirect: signed byte offset
    std::int8_t mme = -1;            ///< extra-precision register of the divide and square root macros; 8 = none
    std::uint8_t elementBits = 0;    ///< dpas: numbers narrower than the type's byte; of reals there is one, e2m1
    std::uint64_t immediate = 0;     ///< the value's bits, zero-extended

    bool isGrf() const noexcept { return kind == Kind::grf; }
    bool isImmediate() const noexcept { return kind == Kind::immediate; }
    bool isIndirect() const noexcept { return addressing != Addressing::direct; }
    bool isArf(ArchitectureRegister r) const noexcept { return kind == Kind::arf && arf == r && !isIndirect(); }
    bool isNull() const noexcept { return isArf(ArchitectureRegister::null); }
    bool isAccumulator() const noexcept { return isArf(ArchitectureRegister::accumulator); }
    bool hasModifier() const noexcept { return absolute || negate; }
};

enum class Predicate : std::uint8_t { none, normal, any, all };
enum class Condition : std::uint8_t {
    none,
    equal,
    notEqual,
    greater,
    greaterEqual,
    less,
    lessEqual,
    reserved,
    overflow,
    unordered
};
enum class SharedFunction : std::uint8_t {
    null,
    ugml,
    sampler,
    gateway,
    dc2,
    renderCache,
    urb,
    threadSpawner,
    rayTracing,
    dcro,
    dc0,
    pixi,
    dc1,
    tgm,
    slm,
    ugm,
};
/// "send.ugm", by shared function.
const char* messageName(SharedFunction function) noexcept;

/// The message part of send, sendc, sendg and their kin.
struct Message {
    SharedFunction function = SharedFunction::null;
    std::uint64_t descriptor = 0;       ///< 32 bits; of sendg 47
    std::uint32_t extended = 0;         ///< the part in the instruction
    bool descriptorInRegister = false;  ///< a0.0 holds it
    bool extendedInRegister = false;    ///< a0.<extendedSub> holds it
    bool extendedBso = false;           ///< the register is a surface offset; the length stays in the instruction
    bool endOfThread = false;
    bool hasOffset = false;          ///< the extended descriptor may move the addresses (lsc::addressOffset)
    std::uint8_t extendedSub = 0;    ///< in dwords
    std::int32_t addressOffset = 0;  ///< bytes by which each address is moved
    std::int8_t src1Registers = -1;  ///< -1: the extended descriptor register holds the number
    bool general = false;            ///< of sendg: addresses and surfaces are in the scalar register, lengths here
    std::int8_t src0Registers = -1;  ///< sendg only
    std::array<std::int8_t, 2> scalars{-1, -1};  ///< sendg: qwords of s0 that belong to the descriptor; -1: none
};

struct Instruction {
    std::uint32_t ip = 0;     ///< its address, as given to decode()
    std::uint8_t bytes = 16;  ///< 8 if compacted
    Opcode opcode = Opcode::illegal;
    std::uint8_t width = 1;   ///< execution size in lanes
    std::uint8_t offset = 0;  ///< channel offset in lanes
    Predicate predicate = Predicate::none;
    bool inverted = false;
    bool noMask = false;
    bool saturate = false;
    bool breakpoint = false;
    bool atomic = false;
    std::uint16_t scoreboard = 0;  ///< the dependencies that it waits for: scoreboard.h
    std::uint8_t flag = 0;         ///< flag register * 2 + half
    Condition condition = Condition::none;
    std::uint8_t function = 0;  ///< sub-function of math, sync, bfn, lfsr, shfl, dnscl
    std::uint8_t sources = 0;
    Operand destination;
    std::array<Operand, 3> source;
    std::array<Operand, 2> scale;  ///< bdpas: exponents by which the second and the third source are scaled
    Message message;
    std::int32_t jip = 0;  ///< branch distances in bytes from ip
    std::int32_t uip = 0;
    bool branchControl = false;
    bool targetInRegister = false;
    std::uint8_t systolicDepth = 0;  ///< dpas: stages
    std::uint8_t repeatCount = 0;    ///< dpas: rows
};

}  // namespace zetl::isa::xe
