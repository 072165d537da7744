#include "isa/xe/legacy_message.h"

#include <algorithm>
#include <iterator>

#include "isa/xe/lsc_descriptor.h"

namespace zetl::isa::xe {
namespace {

using namespace lsc;

constexpr std::uint8_t kDword = kD32;
constexpr std::uint8_t kQword = kD64;
constexpr std::uint8_t kByteInDword = kD8InDword;
constexpr std::uint8_t kWordInDword = kD16InDword;
constexpr std::uint8_t kNoData = 0xff;
constexpr std::uint32_t kLocalSurface = 0xfe;

/// Bits [18:14] of a data port's descriptor. Data port 0 has its scratch blocks where bit 18 is set.
enum Port0 : std::uint8_t {
    kBlockRead = 0,
    kBlockReadBytes = 1,
    kDwordRead = 3,
    kByteRead = 4,
    kFence0 = 7,
    kBlockWrite = 8,
    kDwordWrite = 11,
    kByteWrite = 12
};
constexpr std::uint32_t kScratchBit = 1 << 18;
constexpr std::uint32_t kHeader = 1 << 19;
enum Port1 : std::uint8_t {
    kUntypedRead = 0x01,
    kAtomic = 0x02,
    kShortAtomic = 0x03,
    kUntypedWrite = 0x09,
    kScatteredRead64 = 0x10,
    kUntypedRead64 = 0x11,
    kAtomic64 = 0x12,
    kShortAtomic64 = 0x13,
    kBlockRead64 = 0x14,
    kBlockWrite64 = 0x15,
    kUntypedWrite64 = 0x19,
    kScatteredWrite64 = 0x1a,
    kRealAtomic = 0x1b,
    kHalfAtomic = 0x1c,
    kRealAtomic64 = 0x1d,
    kHalfAtomic64 = 0x1e
};

/// The fields of the new message; vector is its field, a component mask for quads.
struct Form {
    SharedFunction function = SharedFunction::null;
    std::uint32_t operation = 0;
    std::uint32_t data = kDword;
    std::uint32_t vector = 0;
    bool transposed = false;
};

std::uint32_t wordOf(const Message& m) { return static_cast<std::uint32_t>(m.descriptor); }
std::uint32_t typeOf(const Message& m) { return m.descriptor >> 14 & 31; }
bool inLocalMemory(const Message& m) { return (m.descriptor & 0xff) == kLocalSurface; }

Form bytesOf(const Message& m) {
    constexpr std::uint8_t data[] = {kByteInDword, kWordInDword, kDword, kNoData};
    return {SharedFunction::slm, typeOf(m) == kByteWrite ? kStore : kLoad, data[m.descriptor >> 10 & 3], 0, false};
}
Form formOfPort0(const Message& m) {
    switch (typeOf(m)) {
        case kFence0:
            return {SharedFunction::ugm, kFence, kDeviceScope, 0, false};
        case kByteRead:
        case kByteWrite:
            return inLocalMemory(m) ? bytesOf(m) : Form{};
        default:
            return {};
    }
}

/// The components whose bit is clear.
Form untyped(const Message& m, SharedFunction function, Operation operation) {
    return {function, operation, kDword, ~(wordOf(m) >> 8) & 15, false};
}
Form scattered(const Message& m, Operation operation) {
    const std::uint32_t size = m.descriptor >> 8 & 3;
    const std::uint32_t count = m.descriptor >> 10 & 3;
    constexpr std::uint8_t bytes[] = {kByteInDword, kWordInDword, kDword, kNoData};
    constexpr std::uint8_t vectors[] = {0, 1, 3, 4};
    if (size == 0) return {SharedFunction::ugm, operation, bytes[count], 0, false};
    return {SharedFunction::ugm, operation, size == 1 ? kDword : size == 2 ? kQword : kNoData, vectors[count], false};
}
/// Octets of words: one, two, four, eight. The upper half of a register's octet has no equal, nor have blocks that
/// count sixteen words.
Form block(const Message& m, Operation operation) {
    constexpr std::uint32_t kSixteens = 1 << 12;
    constexpr std::uint32_t kNoVector = 8;
    constexpr std::uint8_t vectors[] = {3, kNoVector, 4, 5, 6, 7, kNoVector, kNoVector};
    const std::uint32_t vector = m.descriptor & kSixteens ? kNoVector : vectors[m.descriptor >> 8 & 7];
    return {SharedFunction::ugm, operation, vector == kNoVector ? kNoData : kDword, vector & 7, true};
}
Form formOfPort1(const Message& m) {
    switch (typeOf(m)) {
        case kUntypedRead:
            return inLocalMemory(m) ? untyped(m, SharedFunction::slm, kLoadQuad) : Form{};
        case kUntypedWrite:
            return inLocalMemory(m) ? untyped(m, SharedFunction::slm, kStoreQuad) : Form{};
        case kUntypedRead64:
            return untyped(m, SharedFunction::ugm, kLoadQuad);
        case kUntypedWrite64:
            return untyped(m, SharedFunction::ugm, kStoreQuad);
        case kScatteredRead64:
            return scattered(m, kLoad);
        case kScatteredWrite64:
            return scattered(m, kStore);
        case kBlockRead64:
            return block(m, kLoad);
        case kBlockWrite64:
            return block(m, kStore);
        default:
            return {};
    }
}
Form formOf(const Message& m) {
    if (m.descriptorInRegister) return {};
    if (m.function == SharedFunction::dc0) return formOfPort0(m);
    return m.function == SharedFunction::dc1 ? formOfPort1(m) : Form{};
}

struct AtomicType {
    std::uint32_t number;
    bool real;
    std::uint32_t elementBytes;
    bool wideAddress;
};
constexpr AtomicType kAtomicTypes[] = {
    {kAtomic, false, 4, false},       {kAtomic64, false, 4, true},    {kShortAtomic, false, 2, false},
    {kShortAtomic64, false, 2, true}, {kRealAtomic, true, 4, false},  {kRealAtomic64, true, 4, true},
    {kHalfAtomic, true, 2, false},    {kHalfAtomic64, true, 2, true},
};
std::uint32_t atomicOperationOf(const Message& m) { return m.descriptor >> 8 & 15; }
/// Sums of df have their own operations; integers of 64 bits, which also have 64-bit addresses, have a bit.
bool countsQwords(const Message& m, const AtomicType& type) {
    constexpr std::uint32_t kQwords = 1 << 12;
    constexpr std::uint32_t kFirstOfDoubles = 6;
    if (type.real) return type.elementBytes == 4 && atomicOperationOf(m) >= kFirstOfDoubles;
    return type.number == kAtomic64 && (m.descriptor & kQwords) != 0;
}
std::optional<AtomicOperation> integerOperation(const Message& m) {
    using enum AtomicOperation;
    constexpr AtomicOperation operations[] = {bitAnd,    bitOr,       bitXor,      exchange,        increment,
                                              decrement, add,         subtract,    reverseSubtract, maxSigned,
                                              minSigned, maxUnsigned, minUnsigned, compareExchange, preDecrement};
    const std::uint32_t number = atomicOperationOf(m);
    if (number == 0) return {};  // twice as wide a comparison
    return operations[number - 1];
}
std::optional<AtomicOperation> realOperation(const Message& m) {
    using enum AtomicOperation;
    constexpr AtomicOperation operations[] = {maxReal,      minReal, compareExchangeReal, addReal,
                                              subtractReal, addReal, subtractReal};
    const std::uint32_t number = atomicOperationOf(m);
    if (number == 0 || number > std::size(operations)) return {};
    return operations[number - 1];
}

/// What comes behind a header lies a register further; behind the last one there is none.
void skipHeader(Operand& payload) {
    if (!payload.isGrf()) return;
    constexpr std::uint8_t kLastRegister = 255;
    if (payload.number == kLastRegister) payload.kind = Operand::Kind::none;
    ++payload.number;
}

Instruction withoutHeader(Instruction in) {
    Message& m = in.message;
    const bool byLane = !m.descriptorInRegister && (localDwordsOf(m) || untypedAtomicOf(m));
    if (!byLane || !(m.descriptor & kHeader)) return in;
    m.descriptor &= ~kHeader;
    skipHeader(in.source[0]);
    return in;
}

}  // namespace

Instruction modernForm(const Instruction& in) noexcept {
    const Form form = formOf(in.message);
    if (form.function == SharedFunction::null || form.data == kNoData) return withoutHeader(in);
    constexpr std::uint32_t kLengths = 0x1ff << 20;
    Instruction out = in;
    // A block's address is in the header itself.
    if (in.message.descriptor & kHeader && !form.transposed) skipHeader(out.source[0]);
    const std::uint32_t address = form.function == SharedFunction::slm ? kAddress32 : kAddress64;
    out.message.function = form.function;
    out.message.descriptor = (in.message.descriptor & kLengths) | form.operation | address << 7 | form.data << 9 |
                             form.vector << 12 | static_cast<std::uint32_t>(form.transposed) << 15;
    return out;
}

std::optional<ScratchBlock> scratchBlockOf(const Message& m) noexcept {
    constexpr std::uint32_t kWrite = 1 << 17;
    constexpr std::uint32_t kHalfLine = 32;
    if (m.function != SharedFunction::dc0 || !(m.descriptor & kScratchBit)) return {};
    return ScratchBlock{.write = (m.descriptor & kWrite) != 0,
                        .bytes = kHalfLine << (m.descriptor >> 12 & 3),
                        .offset = (wordOf(m) & 0xfff) * kHalfLine};
}

std::optional<LocalBlock> localBlockOf(const Message& m) noexcept {
    constexpr std::uint32_t kOctetOfWords = 16;
    constexpr std::uint8_t octets[] = {1, 0, 2, 4, 8, 16, 0, 0};
    const std::uint32_t type = typeOf(m);
    const bool block = type == kBlockRead || type == kBlockReadBytes || type == kBlockWrite;
    if (m.function != SharedFunction::dc0 || !block || !inLocalMemory(m)) return {};
    return LocalBlock{.write = type == kBlockWrite,
                      .bytes = octets[m.descriptor >> 8 & 7] * kOctetOfWords,
                      .offsetUnit = type == kBlockReadBytes ? 1 : kOctetOfWords};
}

std::optional<LocalDwords> localDwordsOf(const Message& m) noexcept {
    const std::uint32_t type = typeOf(m);
    const bool dwords = type == kDwordRead || type == kDwordWrite;
    if (m.function != SharedFunction::dc0 || !dwords || !inLocalMemory(m)) return {};
    return LocalDwords{.write = type == kDwordWrite};
}

std::optional<UntypedAtomic> untypedAtomicOf(const Message& m) noexcept {
    if (m.function != SharedFunction::dc1) return {};
    const AtomicType* type = std::ranges::find(kAtomicTypes, typeOf(m), &AtomicType::number);
    if (type == std::end(kAtomicTypes)) return {};
    const auto operation = type->real ? realOperation(m) : integerOperation(m);
    if (!operation) return {};
    UntypedAtomic found{.operation = *operation,
                        .space = {},
                        .addressBytes = type->wideAddress ? std::uint32_t{8} : std::uint32_t{4},
                        .elementBytes = countsQwords(m, *type) ? std::uint32_t{8} : type->elementBytes};
    if (type->wideAddress) {
        found.space = MemorySpace::global;
    } else if (inLocalMemory(m)) {
        found.space = MemorySpace::local;
    }
    return found;
}

}  // namespace zetl::isa::xe
