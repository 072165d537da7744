#include <bit>

#include "emulator/isa/decode/block2d.h"
#include "emulator/isa/decode/lsc_descriptor.h"
#include "emulator/isa/flow.h"
#include "emulator/isa/lower/message.h"

namespace zetl::emulator::isa {
namespace {

using namespace lsc;

constexpr uint32_t kMaxLatch = layout::kRawBytes;

MemorySpace spaceOf(const MessageLowering& m, const Descriptor& d) {
    if (d.local) {
        if (d.addressSize != kAddress16 && d.addressSize != kAddress32) m.refuse("with 64-bit addresses");
        return MemorySpace::local;
    }
    if (d.addressSize != kAddress32 && d.addressSize != kAddress64) m.refuse("with 16-bit addresses");
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

void lowerBlock(MessageLowering& m, const Descriptor& d, MemorySpace space) {
    if (d.data != kD32 && d.data != kD64) m.refuse("transposed with elements below 32 bits");
    const uint32_t bytes = d.vectorLength() * d.memoryBytes();
    const uint32_t address = m.address(d.addressBytes());
    const uint32_t data = d.stores() ? m.data(bytes) : 0, result = d.stores() ? 0 : m.result(bytes);
    Step& s = m.emit(m.table.block);
    s.src[0] = address, s.src[1] = data, s.dst = result, s.value = static_cast<int32_t>(bytes);
    s.chunks = d.addressSize == kAddress64 ? 2 : 1, s.size = d.stores(), s.kind = static_cast<uint8_t>(space),
    s.mask.lanes = 1;
}

/// The message describes its surface itself; the size of the block is known when it runs.
void lowerBlock2d(MessageLowering& m, const Descriptor& d) {
    constexpr uint8_t kStores = 1, kTransposes = 2, kPacksColumns = 4;
    constexpr uint32_t kLengthBits = 31;  // the reply's length; the largest one has a register more than fits
    if (d.local || d.surface != kFlat || d.data > kD64) m.refuse("block2d of this form");
    const uint32_t reply = m.message.descriptor >> 20 & kLengthBits, room = m.message.src1Registers & kLengthBits;
    const uint32_t registers = d.stores() ? room : reply == kLengthBits ? reply + 1 : reply;
    const uint32_t bytes = registers * layout::kRegisterBytes, payload = m.address(Block2d::kBytes);
    const uint32_t data = d.stores() ? m.data(bytes) : 0, result = d.stores() ? 0 : m.result(bytes);
    Step& s = m.emit(m.table.block2d);
    s.src[0] = payload, s.src[1] = data, s.dst = result, s.value = static_cast<int32_t>(registers);
    s.size = static_cast<uint8_t>(d.memoryBytes()), s.mask.lanes = 1;
    s.kind = (d.stores() ? kStores : 0) | (d.transposed ? kTransposes : 0) | (d.packed ? kPacksColumns : 0);
}

/// The reply may cover the request: latch the addresses first.
uint32_t latchedAddress(MessageLowering& m, uint32_t address, uint32_t bytes, uint32_t result, uint32_t resultBytes) {
    if (address >= result + resultBytes || result >= address + bytes) return address;
    static_assert(kMaxLatch >= 32 * 8);
    Step& c = m.emit(m.table.copy);
    c.src[0] = address, c.dst = layout::kRaw, c.value = static_cast<int32_t>(bytes);
    return layout::kRaw;
}

void emitLanes(MessageLowering& m, const Descriptor& d, MemorySpace space, uint32_t address, uint32_t data,
               uint32_t result, uint32_t components) {
    const uint32_t rows = m.componentBytes(d.registerBytes());
    const auto& handlers = d.stores() ? m.table.store : m.table.load;
    const Handler run = handlers[indexOf(space)][d.data][m.allLanesOn];
    if (!run) m.refuse("with this element size");
    Step& s = m.emit(run);
    s.src[0] = address, s.src[1] = data, s.dst = result, s.kind = static_cast<uint8_t>(components),
    s.value = static_cast<int32_t>(rows);
}

/// Addresses moved on by `bytes`, in a buffer.
uint32_t movedAddress(MessageLowering& m, const Descriptor& d, uint32_t address, uint32_t bytes) {
    const LaneType lanes = d.addressBytes() == 8 ? LaneType::u64 : LaneType::u32;
    Step& s = m.emit(m.table.compute[static_cast<int>(Opcode::add)][static_cast<int>(lanes)][0][1]);
    s.src[0] = address, s.src[1] = m.constant(bytes, d.addressBytes()), s.dst = layout::kRaw;
    return layout::kRaw;
}

/// Addresses of all lanes from the payload of a strided message.
uint32_t stridedAddress(MessageLowering& m, const Descriptor& d) {
    constexpr uint32_t kPayloadBytes = 12;
    if (d.transposed) m.refuse("transposed and strided");
    const uint32_t payload = m.address(kPayloadBytes);
    Step& s = m.emit(m.table.strided);
    s.src[0] = payload, s.dst = layout::kRaw, s.chunks = d.addressBytes() == 8 ? 2 : 1;
    return layout::kRaw;
}

/// Where the lanes' addresses lie: in registers, or worked out in a buffer.
uint32_t addressesOf(MessageLowering& m, Descriptor& d) {
    if (d.strided() && d.addressSize != kAddress16) return stridedAddress(m, d);
    const uint32_t address = m.address(m.in.width * d.addressBytes());
    if (d.addressSize != kAddress16) return address;
    if (d.strided()) m.refuse("strided with 16-bit addresses");
    Step& s = m.emit(m.table.convert[static_cast<int>(DataType::uw)][static_cast<int>(LaneType::u32)][1][1]);
    s.src[0] = address, s.dst = layout::kRaw, d.addressSize = kAddress32;
    return layout::kRaw;
}

/// A component mask with holes becomes one message for each component.
void lowerQuad(MessageLowering& m, const Descriptor& d, MemorySpace space, uint32_t address, uint32_t rows) {
    const auto count = static_cast<uint32_t>(std::popcount(d.components));
    const uint32_t data = d.stores() ? m.data(count * rows) : 0, result = d.stores() ? 0 : m.result(count * rows);
    if (!d.stores()) address = latchedAddress(m, address, m.in.width * d.addressBytes(), result, count * rows);
    if ((d.components & (d.components + 1)) == 0) return emitLanes(m, d, space, address, data, result, count);
    uint32_t done = 0, skipped = 0;
    for (uint32_t component = 0; component < 4; ++component, skipped += d.memoryBytes()) {
        if (!(d.components >> component & 1)) continue;
        address = movedAddress(m, d, address, address == layout::kRaw && done ? skipped : component * d.memoryBytes());
        emitLanes(m, d, space, address, data + done * rows, result + done * rows, 1);
        ++done, skipped = 0;
    }
}

void lowerVector(MessageLowering& m, Descriptor d, MemorySpace space) {
    if (space == MemorySpace::payload) m.refuse("per lane to the payload");
    const uint32_t rows = m.componentBytes(d.registerBytes());
    uint32_t address = addressesOf(m, d);
    if (d.quad()) return lowerQuad(m, d, space, address, rows);
    const uint32_t count = d.vectorLength();
    if (count > 8) m.refuse("with more than eight components");
    const uint32_t data = d.stores() ? m.data(count * rows) : 0, result = d.stores() ? 0 : m.result(count * rows);
    if (!d.stores()) address = latchedAddress(m, address, m.in.width * d.addressBytes(), result, count * rows);
    emitLanes(m, d, space, address, data, result, count);
}

void refuseOperation(const MessageLowering& m, uint8_t op) {
    constexpr uint8_t kLoadStatus = 0x1b;
    m.refuse(op == kLoadStatus ? "load_status" : "reserved operation");
}

}  // namespace

void lowerLsc(MessageLowering& m) {
    const Descriptor d(m.message);
    if (d.op == kFence) {
        m.emit(memoryFence);
        return;
    }
    if (!d.atomic() && !d.loads() && !d.stores()) refuseOperation(m, d.op);
    if (!d.atomic() && !d.stores() && !m.hasResult()) return;  // a prefetch
    if (d.block2d()) return lowerBlock2d(m, d);
    const MemorySpace space = spaceOf(m, d);
    if (d.atomic()) {
        if (d.transposed || d.vectorLength() != 1 || d.memoryBytes() < 2) m.refuse("atomic on vectors or bytes");
        if (d.addressSize == kAddress16) m.refuse("atomic with 16-bit addresses");
        return emitAtomic(m, {d.op, static_cast<uint8_t>(d.memoryBytes()), static_cast<uint8_t>(d.registerBytes()),
                              static_cast<uint8_t>(d.addressBytes()), space});
    }
    if (d.transposed && !d.quad() && !d.strided()) return lowerBlock(m, d, space);
    lowerVector(m, d, space);
}

}  // namespace zetl::emulator::isa
