#include <bit>

#include "emulator/isa/flow.h"
#include "emulator/isa/lower/message.h"
#include "isa/xe/block2d.h"
#include "isa/xe/lsc_descriptor.h"

namespace zetl::emulator::isa {
namespace {

using namespace lsc;

constexpr std::uint32_t kMaxLatch = layout::kRawBytes;

MemorySpace spaceOf(const MessageLowering& m, const Descriptor& d) {
    if (d.local) {
        if (d.addressSize != kAddress16 && d.addressSize != kAddress32) m.refuse("with 64-bit addresses");
        return MemorySpace::local;
    }
    if (d.addressSize != kAddress32 && d.addressSize != kAddress64) m.refuse("with 16-bit addresses");
    if (d.narrowOffsets) return MemorySpace::global;
    if (d.surfaceIndex != 0) m.refuse("surface by index");
    if (d.surface == kFlat) {
        if (d.addressSize != kAddress64) m.refuse("flat with 32-bit addresses");
        return MemorySpace::global;
    }
    if (d.addressSize != kAddress32) m.refuse("surface with 64-bit addresses");
    if (d.surface == kScratch) return MemorySpace::scratch;
    if (d.surface == kBindingTable && !m.message.extendedInRegister && m.message.extended >> 24 == kPayloadTable)
        return MemorySpace::payload;
    m.refuse("surface in a binding table");
}

/// Whether steps on the message's addresses work on chunks of lanes. Those of one lane read and write no more than it.
bool isOfLanes(const MessageLowering& m) { return m.in.width > 1; }

/// Addresses moved on by `bytes`, in a buffer.
std::uint32_t movedAddress(MessageLowering& m, const Descriptor& d, std::uint32_t address, std::int64_t bytes) {
    const bool wide = d.addressBytes() == 8;
    const LaneType lanes = wide ? LaneType::u64 : LaneType::u32;
    Step& s = m.emit({.family = Family::compute,
                      .row = static_cast<std::uint16_t>(Opcode::add),
                      .lanes = lanes,
                      .wide = isOfLanes(m)});
    s.src[0] = address;
    s.src[1] =
        m.constant(wide ? static_cast<std::uint64_t>(bytes) : static_cast<std::uint32_t>(bytes), d.addressBytes());
    s.dst = layout::kRaw;
    return layout::kRaw;
}

/// Addresses of 64 bits from a general message's offsets: scaled, and added to what the scalar register and the
/// descriptor hold. In a buffer, unless the payload has them already.
std::uint32_t generalAddress(MessageLowering& m, Descriptor& d, std::uint32_t address) {
    if (d.scale == 0) m.refuse("with offsets in units that are no power of two, or too large");
    const std::int8_t base = d.surface == kScratch ? std::int8_t{-1} : m.message.scalars[0];
    const auto compute = [&](Opcode what, LaneType lanes) -> Step& {
        Step& s = m.emit(
            {.family = Family::compute, .row = static_cast<std::uint16_t>(what), .lanes = lanes, .wide = isOfLanes(m)});
        s.src[0] = address;
        s.dst = layout::kRaw;
        address = layout::kRaw;
        return s;
    };
    if (d.narrowOffsets) {
        const DataType type = d.signedOffsets ? DataType::d : DataType::ud;
        const LaneType lanes = d.signedOffsets ? LaneType::i64 : LaneType::u64;
        Step& s = m.emit({.family = Family::convert, .lanes = lanes, .type = type, .wide = isOfLanes(m)});
        s.src[0] = address;
        s.dst = layout::kRaw;
        address = layout::kRaw;
        d.addressSize = kAddress64;
    }
    const LaneType lanes = d.addressBytes() == 8 ? LaneType::u64 : LaneType::u32;
    if (d.scale != 1)
        compute(Opcode::shl, lanes).src[1] =
            m.constant(static_cast<unsigned>(std::countr_zero(d.scale)), d.addressBytes());
    if (base >= 0) {
        Step& s = m.emit({.family = Family::convert,
                          .lanes = lanes,
                          .type = lanes == LaneType::u64 ? DataType::uq : DataType::ud,
                          .stride = 0,
                          .wide = isOfLanes(m)});
        s.src[0] = layout::kScalar + static_cast<std::uint32_t>(base) * 8;
        s.dst = layout::kLanes;
        compute(Opcode::add, lanes).src[1] = layout::kLanes;
    }
    return address;
}

/// Addresses moved by what the message's extended descriptor adds to them.
std::uint32_t offsetAddress(MessageLowering& m, Descriptor& d, std::uint32_t address) {
    if (m.message.general) address = generalAddress(m, d, address);
    return m.message.addressOffset == 0 ? address : movedAddress(m, d, address, m.message.addressOffset);
}

/// Addresses of 16 bits become those of 32 that messages know, in a buffer.
std::uint32_t widenedAddress(MessageLowering& m, Descriptor& d, std::uint32_t address) {
    if (d.addressSize != kAddress16) return address;
    Step& s = m.emit({.family = Family::convert, .lanes = LaneType::u32, .type = DataType::uw, .wide = isOfLanes(m)});
    s.src[0] = address;
    s.dst = layout::kRaw;
    d.addressSize = kAddress32;
    return layout::kRaw;
}

void lowerBlock(MessageLowering& m, Descriptor d, MemorySpace space) {
    if (d.data != kD32 && d.data != kD64) m.refuse("transposed with elements below 32 bits");
    const std::uint32_t bytes = d.vectorLength() * d.memoryBytes();
    m.setAddressBytes(layout::kRegisterBytes);
    const std::uint32_t address = offsetAddress(m, d, widenedAddress(m, d, m.address(d.addressBytes())));
    m.emit(BlockAccess{.space = space,
                       .write = d.stores(),
                       .wideAddress = d.addressSize == kAddress64,
                       .address = address,
                       .registers = m.registers(d.stores(), bytes),
                       .bytes = bytes});
}

/// Of a two-dimensional block. General messages do not say; the block itself does when it runs.
std::uint32_t replyRegisters(const MessageLowering& m) {
    constexpr std::uint32_t kLengthBits = 31;  // the largest one has a register more than fits
    constexpr std::uint32_t kMost = 32;
    if (m.message.general) return std::min(kMost, m.registersFrom(m.in.destination));
    const std::uint32_t reply = m.message.descriptor >> 20 & kLengthBits;
    return reply == kLengthBits ? reply + 1 : reply;
}

/// The message describes its surface itself; the size of the block is known when it runs.
void lowerBlock2d(MessageLowering& m, const Descriptor& d) {
    constexpr std::uint32_t kLengthBits = 31;
    if (const char* problem = d.block2dProblem()) m.refuse(problem);
    const BlockOffset moved = blockOffset(m.message);
    const std::uint32_t room = m.message.src1Registers & kLengthBits;
    const std::uint32_t registers = d.stores() ? room : replyRegisters(m);
    const std::uint32_t bytes = registers * layout::kRegisterBytes;
    m.emit(Block2dAccess{.write = d.stores(),
                         .transposed = d.transposed,
                         .packed = d.packed,
                         .elementBytes = d.memoryBytes(),
                         .payload = m.address(Block2d::kBytes),
                         .registers = m.registers(d.stores(), bytes),
                         .registerBytes = bytes,
                         .right = moved.x,
                         .down = moved.y});
}

/// The reply may cover the request: latch the addresses first.
std::uint32_t latchedAddress(MessageLowering& m, std::uint32_t address, std::uint32_t bytes, std::uint32_t result,
                             std::uint32_t resultBytes) {
    if (address >= result + resultBytes || result >= address + bytes) return address;
    static_assert(kMaxLatch >= 32 * 8);
    Step& c = m.emit({.family = Family::latch});
    c.src[0] = address;
    c.dst = layout::kRaw;
    c.value = static_cast<std::int32_t>(bytes);
    return layout::kRaw;
}

/// Where the lanes of a message find their addresses and keep their data.
struct LanePlaces {
    MemorySpace space;
    std::uint32_t addresses;
    std::uint32_t registers;
    std::uint32_t componentBytes;
};
void emitLanes(MessageLowering& m, const Descriptor& d, const LanePlaces& at, std::uint32_t components) {
    const LaneAccess::Form form{.space = at.space, .write = d.stores(), .data = d.data, .whole = m.place.allLanesOn};
    if (!m.has<LaneAccess>(form)) m.refuse("with this element size");
    m.emit(LaneAccess{.addresses = at.addresses,
                      .registers = at.registers,
                      .components = components,
                      .componentBytes = at.componentBytes},
           form);
}

/// Addresses of all lanes from the payload of a strided message.
std::uint32_t stridedAddress(MessageLowering& m, const Descriptor& d) {
    constexpr std::uint32_t kPayloadBytes = 12;
    if (d.transposed) m.refuse("transposed and strided");
    const std::uint32_t payload = m.address(kPayloadBytes);
    m.emit(StridedAddresses{.payload = payload, .addresses = layout::kRaw, .addressBytes = d.addressBytes()});
    return layout::kRaw;
}

/// Where the lanes' addresses lie: in registers, or worked out in a buffer.
std::uint32_t addressesOf(MessageLowering& m, Descriptor& d) {
    m.setAddressBytes(m.componentBytes(d.addressBytes()));
    if (d.strided() && d.addressSize != kAddress16) return offsetAddress(m, d, stridedAddress(m, d));
    if (d.strided()) m.refuse("strided with 16-bit addresses");
    return offsetAddress(m, d, widenedAddress(m, d, m.address(m.in.width * d.addressBytes())));
}

/// A component mask with holes becomes one message for each component.
void emitComponents(MessageLowering& m, const Descriptor& d, LanePlaces at) {
    std::uint32_t done = 0;
    std::uint32_t skipped = 0;
    for (std::uint32_t component = 0; component < 4; ++component, skipped += d.memoryBytes()) {
        if (!(d.components >> component & 1)) continue;
        const bool moved = at.addresses == layout::kRaw && done != 0;
        at.addresses = movedAddress(m, d, at.addresses, moved ? skipped : component * d.memoryBytes());
        emitLanes(m, d, at, 1);
        at.registers += at.componentBytes;
        ++done;
        skipped = 0;
    }
}

void lowerVector(MessageLowering& m, Descriptor d, MemorySpace space) {
    if (space == MemorySpace::payload) m.refuse("per lane to the payload");
    LanePlaces at{.space = space,
                  .addresses = addressesOf(m, d),
                  .registers = 0,
                  .componentBytes = m.componentBytes(d.registerBytes())};
    const auto count = d.quad() ? static_cast<std::uint32_t>(std::popcount(d.components)) : d.vectorLength();
    if (count == 0) m.refuse("without components");
    if (count > 8) m.refuse("with more than eight components");
    const std::uint32_t bytes = count * at.componentBytes;
    at.registers = m.registers(d.stores(), bytes);
    if (!d.stores()) at.addresses = latchedAddress(m, at.addresses, m.in.width * d.addressBytes(), at.registers, bytes);
    const bool holes = d.quad() && (d.components & (d.components + 1)) != 0;
    holes ? emitComponents(m, d, at) : emitLanes(m, d, at, count);
}

void refuseOperation(const MessageLowering& m, std::uint8_t op) {
    constexpr std::uint8_t kLoadStatus = 0x1b;
    m.refuse(op == kLoadStatus ? "load_status" : "reserved operation");
}

}  // namespace

void lowerLsc(MessageLowering& m) {
    Descriptor d(m.message);
    if (d.op == kFence) {
        // The threads of a group execute one after the other on one core, which sees its own accesses in order.
        if (!d.withinGroup()) m.emit(memoryFence);
        return;
    }
    if (!d.atomic() && !d.loads() && !d.stores()) refuseOperation(m, d.op);
    if (!d.atomic() && !d.stores() && !m.hasResult()) return;  // a prefetch
    if (d.block2d()) return lowerBlock2d(m, d);
    const MemorySpace space = spaceOf(m, d);
    if (d.atomic()) {
        if (d.transposed || d.vectorLength() != 1) m.refuse("atomic on vectors");
        if (d.data != kD32 && d.data != kD64 && d.data != kD16InDword) m.refuse("atomic on elements of this size");
        if (isOnBrain(static_cast<AtomicOperation>(d.op)) && d.data != kD16InDword) m.refuse("atomic on wider bf");
        const std::uint32_t addresses = addressesOf(m, d);
        return emitAtomic(m, {.operation = static_cast<AtomicOperation>(d.op),
                              .elementBytes = d.memoryBytes(),
                              .slotBytes = d.registerBytes(),
                              .addresses = addresses,
                              .addressBytes = d.addressBytes(),
                              .space = space});
    }
    if (d.transposed && !d.quad() && !d.strided()) return lowerBlock(m, d, space);
    lowerVector(m, d, space);
}

}  // namespace zetl::emulator::isa
