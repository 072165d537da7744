// The encodings are those of the vendor's assembler for the text beside them; register numbers are put into their
// fields.
#include <ze_tools_layer/instrumentation.h>

#include <bit>

#include "isa/xe/word.h"

namespace zetl::instrumentation {
namespace {

using isa::xe::Word;

/// Where an instruction keeps the numbers of its registers: bits [low + 7, low].
enum class Field : std::uint8_t { destination = 56, source0 = 72, source1 = 104 };

void put(Word& word, Field field, std::uint32_t number) {
    const int low = static_cast<int>(field);
    word.set(low + 7, low, number);
}

// All of them: NoMask, after all earlier arithmetic; messages use scoreboard entry 15.
constexpr Word kSyncReads{0x0001000080000001, 0x20000000};   // (W) sync.allrd null
constexpr Word kSyncWrites{0x0001000080000001, 0x30000000};  // (W) sync.allwr null
constexpr Word kSyncPayload{0x000100008000af01, 0};          // (W) sync.nop null {$15.src}
constexpr Word kSyncResult{0x0001000080008f01, 0};           // (W) sync.nop null {$15.dst}
constexpr Word kLoad{0x0005433080000961, 0};                 // (W) mov (1|M0) r.0<1>:uq imm:uq {A@1}
constexpr Word kCopy{0x0005033080000961, 0x04};              // (W) mov (1|M0) r.0<1>:uq r.0<0;1,0>:uq {A@1}
constexpr Word kAdd{0x0005033080000940,
                    0x0000000403000004};  // (W) add (1|M0) r.0<1>:uq r.0<0;1,0>:uq r.0<0;1,0>:uq {A@1}
constexpr Word kAnd{0x0005033080000965,
                    0x0000000403000004};  // (W) and (1|M0) r.0<1>:uq r.0<0;1,0>:uq r.0<0;1,0>:uq {A@1}
constexpr Word kSubtract{0x0005022080000940, 0x0200000402000004};  // (W) add (1|M0) r:ud r:ud -r:ud {A@1}
constexpr Word kTime{0x0005022080000961, 0xc000};                  // (W) mov (1|M0) r.0<1>:ud tm0.0<0;1,0>:ud {A@1}
constexpr Word kLanes{0x0005022080000961, 0x4000};                 // (W) mov (1|M0) r.0<1>:ud ce<0;1,0>:ud {A@1}
constexpr Word kSave{0x2001022080100961, 0x100004};                // (W) mov (16|M0) acc0.0<1>:ud r.0<1;1,0>:ud {A@1}
constexpr Word kRestore{0x0005022080100961, 0x102000};             // (W) mov (16|M0) r.0<1>:ud acc0.0<1;1,0>:ud {A@1}
constexpr std::uint32_t kFirstAccumulator = 0x20;                  // as architecture registers are numbered
constexpr Word kMessage{0x0000000080012f31, 0};                    // (W) send.ugm (1|M0) ... {A@1,$15}

// Descriptors of LSC messages with 64-bit addresses: operation, address size, element size, then lengths in registers.
constexpr std::uint32_t kAddress64 = 3u << 7;
constexpr std::uint32_t kElement64 = 3u << 9;
constexpr std::uint32_t kTransposed = 1u << 15;
constexpr std::uint32_t kOperationStore = 4;
constexpr std::uint32_t kOperationIncrement = 8;
constexpr std::uint32_t kOperationAdd = 12;
constexpr std::uint32_t kPayloadField = 25;
constexpr std::uint32_t kAnswerField = 20;
constexpr std::uint32_t kVectorField = 12;

/// A message's registers; 0 registers of data: none.
struct Operands {
    std::uint32_t address = 0;
    std::uint32_t data = 0;
    std::uint32_t dataCount = 0;
    std::optional<std::uint32_t> result;
};

/// The fields of a message in the places from which the decoder reads them.
Word message(std::uint32_t descriptor, const Operands& operands) {
    constexpr std::uint32_t kGlobalMemory = 15;
    Word word = kMessage;
    word.set(91, 81, descriptor & 0x7ff);
    word.set(121, 113, descriptor >> 11 & 0x1ff);
    word.set(55, 51, descriptor >> 20 & 0x1f);
    word.set(71, 67, descriptor >> 25 & 0x1f);
    word.set(123, 122, descriptor >> 30);
    word.set(95, 92, kGlobalMemory);
    word.set(66, 66, 1);
    put(word, Field::source0, operands.address);
    word.set(98, 98, operands.dataCount != 0);
    word.set(103, 99, operands.dataCount);
    put(word, Field::source1, operands.data);
    if (!operands.result) return word;
    word.set(50, 50, 1);
    put(word, Field::destination, *operands.result);
    return word;
}

/// A template with its registers.
Word with(Word word, std::uint32_t target, std::uint32_t a, std::uint32_t b) {
    put(word, Field::destination, target);
    put(word, Field::source0, a);
    put(word, Field::source1, b);
    return word;
}

}  // namespace

InsertedCode& InsertedCode::waitForMessages() {
    append(kSyncReads.low, kSyncReads.high);
    return append(kSyncWrites.low, kSyncWrites.high);
}
InsertedCode& InsertedCode::waitForPayload() { return append(kSyncPayload.low, kSyncPayload.high); }
InsertedCode& InsertedCode::waitForResult() { return append(kSyncResult.low, kSyncResult.high); }

InsertedCode& InsertedCode::load(std::uint32_t target, std::uint64_t value) {
    Word word = kLoad;
    put(word, Field::destination, target);
    return append(word.low, value >> 32 | value << 32);
}
InsertedCode& InsertedCode::copy(std::uint32_t target, std::uint32_t source) {
    const Word word = with(kCopy, target, source, 0);
    return append(word.low, word.high);
}
InsertedCode& InsertedCode::add(std::uint32_t target, std::uint32_t a, std::uint32_t b) {
    const Word word = with(kAdd, target, a, b);
    return append(word.low, word.high);
}
InsertedCode& InsertedCode::bitAnd(std::uint32_t target, std::uint32_t a, std::uint32_t b) {
    const Word word = with(kAnd, target, a, b);
    return append(word.low, word.high);
}
InsertedCode& InsertedCode::subtract32(std::uint32_t target, std::uint32_t a, std::uint32_t b) {
    const Word word = with(kSubtract, target, a, b);
    return append(word.low, word.high);
}
InsertedCode& InsertedCode::readTime(std::uint32_t target) {
    Word word = kTime;
    put(word, Field::destination, target);
    return append(word.low, word.high);
}
InsertedCode& InsertedCode::readLanes(std::uint32_t target) {
    Word word = kLanes;
    put(word, Field::destination, target);
    return append(word.low, word.high);
}
InsertedCode& InsertedCode::save(std::uint32_t accumulator, std::uint32_t source) {
    const Word word = with(kSave, kFirstAccumulator + accumulator, source, 0);
    return append(word.low, word.high);
}
InsertedCode& InsertedCode::restore(std::uint32_t target, std::uint32_t accumulator) {
    const Word word = with(kRestore, target, kFirstAccumulator + accumulator, 0);
    return append(word.low, word.high);
}

InsertedCode& InsertedCode::increment(std::uint32_t address) {
    const Word word = message(kOperationIncrement | kAddress64 | kElement64 | 2u << kPayloadField,
                              {.address = address, .data = 0, .dataCount = 0, .result = {}});
    return append(word.low, word.high);
}
InsertedCode& InsertedCode::atomicAdd(std::uint32_t address, std::uint32_t addend,
                                      std::optional<std::uint32_t> result) {
    const std::uint32_t answer = result ? 2u << kAnswerField : 0u;
    const Word word = message(kOperationAdd | kAddress64 | kElement64 | 2u << kPayloadField | answer,
                              {.address = address, .data = addend, .dataCount = 2, .result = result});
    return append(word.low, word.high);
}
InsertedCode& InsertedCode::store(std::uint32_t address, std::uint32_t source, std::uint32_t count) {
    constexpr std::uint32_t kOneRegister = 4;  // eight elements; each step up doubles them
    const auto vector = kOneRegister + static_cast<std::uint32_t>(std::countr_zero(count));
    const std::uint32_t descriptor =
        kOperationStore | kAddress64 | kElement64 | kTransposed | vector << kVectorField | 1u << kPayloadField;
    const Word word = message(descriptor, {.address = address, .data = source, .dataCount = count, .result = {}});
    return append(word.low, word.high);
}

InsertedCode& InsertedCode::append(std::uint64_t low, std::uint64_t high) {
    for (const std::uint64_t half : {low, high})
        for (int byte = 0; byte < 8; ++byte) bytes_.push_back(static_cast<std::uint8_t>(half >> 8 * byte));
    return *this;
}

}  // namespace zetl::instrumentation
