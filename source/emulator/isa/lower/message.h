// Lowering of messages: the common part of the files of the shared functions.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "emulator/isa/lower/lowering.h"
#include "emulator/isa/message_step.h"

namespace zetl::emulator::isa {

/// The place of a message, and the properties on which its steps may rely.
struct MessagePlace {
    Line line;
    bool allLanesOn;
    std::uint32_t window;  ///< the thread's memory window that the message uses
};

/// A message that is being lowered to the end of `list`: operands as places, and functions to add steps.
class MessageLowering {
  public:
    MessageLowering(Program::Code& code, const StepTable& table, const Instruction& in, const MessagePlace& place,
                    StepList& list)
        : table(table), in(in), message(in.message), place(place), code_(code), list_(list) {}

    const StepTable& table;
    const Instruction& in;
    const Message& message;
    const MessagePlace place;

    Step& emit(Handler run, const Meaning& meaning = {});
    Step& emit(const Meaning& meaning) { return emit(handlerOf(table, meaning), meaning); }
    /// Adds the access's step, with its handler for the form. Refused if there is none.
    template <class Access>
    void emit(const Access& what, const typename Access::Form& form) {
        what.encode(emit(handler<Access>(form), meaningOf<Access>(form)));
    }
    template <class Access>
    void emit(const Access& what) requires std::is_same_v<typename Access::Form, OneForm> {
        emit(what, OneForm{});
    }
    template <class Access>
    bool has(const typename Access::Form& form) const noexcept {
        return handler<Access>(form) != nullptr;
    }
    bool hasImages() const noexcept { return code_.options.architecture->images; }
    /// Keeps what a step names by its address.
    void keep(std::shared_ptr<const void> object) { code_.kept.push_back(std::move(object)); }
    /// Lanes that all have the value, as an address for Step::src.
    std::uint64_t constant(std::uint64_t value, std::uint32_t bytes);

    /// Size in registers, in bytes, of one component of a per-lane message. Messages have sixteen or thirty-two lanes,
    /// whatever width the instruction has.
    std::uint32_t componentBytes(std::uint32_t elementBytes) const noexcept {
        constexpr std::uint32_t kLanes = 16;
        return (std::max<std::uint32_t>(in.width, kLanes) * elementBytes + layout::kRegisterBytes - 1) /
               layout::kRegisterBytes * layout::kRegisterBytes;
    }
    bool hasResult() const noexcept { return in.destination.isGrf(); }
    /// Places of the payloads; refused as illegal if `bytes` from there leave the register file.
    std::uint32_t address(std::uint32_t bytes) {
        if (isGathered()) return gathered(0, bytes);
        return grf(in.source[0], bytes);
    }
    /// Null data are read from one register of zeros.
    std::uint32_t data(std::uint32_t bytes) {
        if (isGathered()) return gathered(dataAt_, bytes);
        if (in.source[1].isGrf()) return grf(in.source[1], bytes);
        if (bytes > layout::kRegisterBytes) refuse("of several registers of null data");
        return layout::kZero;
    }
    std::uint32_t result(std::uint32_t bytes) const { return hasResult() ? grf(in.destination, bytes) : layout::kNull; }
    /// The data of a store, or the result of a load.
    std::uint32_t registers(bool write, std::uint32_t bytes) { return write ? data(bytes) : result(bytes); }
    [[noreturn]] void refuse(const char* form) const {
        refuseMessage(std::string(messageName(message.function)) + " " + form);
    }

    /// The payload comes from registers that the scalar register names, addresses first.
    bool isGathered() const noexcept { return in.source[0].isArf(ArchitectureRegister::scalar); }
    /// The size of the addresses in such a payload, behind which the data begin.
    void setAddressBytes(std::uint32_t bytes) noexcept {
        dataAt_ = (bytes + layout::kRegisterBytes - 1) / layout::kRegisterBytes * layout::kRegisterBytes;
    }
    /// The number of registers from this one on.
    std::uint32_t registersFrom(const Operand& o) const noexcept {
        const std::uint32_t all = registerFileBytes(code_, in.ip) / layout::kRegisterBytes;
        return o.isGrf() && o.number < all ? all - o.number : 0;
    }
    /// Whether there are data to send.
    bool hasData() const noexcept { return isGathered() || (message.src1Registers != 0 && in.source[1].isGrf()); }

  private:
    std::uint32_t gathered(std::uint32_t at, std::uint32_t bytes);
    template <class Access>
    Handler handler(const typename Access::Form& form) const noexcept {
        return std::get<Handlers<Access>>(table.messages).of(form);
    }
    std::uint32_t grf(const Operand& o, std::uint32_t bytes) const;

    Program::Code& code_;
    StepList& list_;
    bool isCollected_ = false;  // the step that gathers the payload is there
    std::uint32_t dataAt_ = 0;
};

/// Emits the steps of a message whose descriptors are known.
void lowerByFunction(MessageLowering& m);
/// Load/store cache unit: global and scratch memory (ugm), local memory (slm).
void lowerLsc(MessageLowering& m);
/// The sampler, and typed memory (tgm).
void lowerImage(MessageLowering& m);
/// Barriers and the end of the thread.
void lowerGateway(MessageLowering& m);
/// Legacy scratch and local blocks.
void lowerDc0(MessageLowering& m);
/// Legacy untyped atomics.
void lowerDc1(MessageLowering& m);

struct AtomicMessage {
    AtomicOperation operation;
    std::uint32_t elementBytes;  ///< in memory
    std::uint32_t slotBytes;     ///< in registers
    std::uint32_t addresses;     ///< place of the addresses
    std::uint32_t addressBytes;  ///< 4 or 8
    MemorySpace space;
};
void emitAtomic(MessageLowering& m, const AtomicMessage& atomic);

}  // namespace zetl::emulator::isa
