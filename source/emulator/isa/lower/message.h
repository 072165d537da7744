// Lowering of messages: what the files of the shared functions have in common.
#pragma once

#include <algorithm>

#include "emulator/isa/lower/lowering.h"

namespace zetl::emulator::isa {

/// A message being lowered: operands as places, and the ways to add steps.
class MessageLowering {
  public:
    MessageLowering(Program::Code& code, const StepTable& table, const Instruction& in, bool allLanesOn,
                    uint32_t window)
        : code(code), table(table), in(in), message(in.message), allLanesOn(allLanesOn), window(window) {}
    virtual ~MessageLowering() = default;

    Program::Code& code;
    const StepTable& table;
    const Instruction& in;
    const Message& message;
    const bool allLanesOn;
    const uint32_t window;  ///< the thread's memory window that the message uses

    virtual Step& emit(Handler run) = 0;
    /// Lanes that all hold the value, as an address for Step::src.
    virtual uint64_t constant(uint64_t value, uint32_t bytes) = 0;

    /// Registers of one component of a per-lane message, in bytes. Messages have sixteen lanes or thirty-two, whatever
    /// the instruction has.
    uint32_t componentBytes(uint32_t elementBytes) const noexcept {
        constexpr uint32_t kLanes = 16;
        return (std::max<uint32_t>(in.width, kLanes) * elementBytes + layout::kRegisterBytes - 1) /
               layout::kRegisterBytes * layout::kRegisterBytes;
    }
    bool hasResult() const noexcept { return in.destination.isGrf(); }
    /// Places of the payloads; refused as illegal if `bytes` from there leave the register file.
    uint32_t address(uint32_t bytes) const { return grf(in.source[0], bytes); }
    uint32_t data(uint32_t bytes) const {
        return in.source[1].isGrf() ? grf(in.source[1], bytes) : layout::kNotification;
    }
    uint32_t result(uint32_t bytes) const { return hasResult() ? grf(in.destination, bytes) : layout::kNull; }
    [[noreturn]] void refuse(const char* form) const {
        refuseMessage(std::string(messageName(message.function)) + " " + form);
    }

  private:
    static uint32_t grf(const Operand& o, uint32_t bytes);
};

/// Emits the steps of a message whose descriptors are known.
void lowerByFunction(MessageLowering& m);
/// Load/store cache unit: global and scratch memory (ugm), local memory (slm).
void lowerLsc(MessageLowering& m);
/// Barriers and the end of the thread.
void lowerGateway(MessageLowering& m);
/// Legacy scratch blocks.
void lowerDc0(MessageLowering& m);
/// Legacy untyped atomics.
void lowerDc1(MessageLowering& m);

struct AtomicShape {
    uint8_t op;            ///< as LSC numbers it
    uint8_t elementBytes;  ///< in memory
    uint8_t slotBytes;     ///< in registers
    uint8_t addressBytes;
    MemorySpace space;
};
void emitAtomic(MessageLowering& m, const AtomicShape& shape);

}  // namespace zetl::emulator::isa
