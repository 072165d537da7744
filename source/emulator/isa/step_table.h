// The handlers for one host instruction set. Lowering picks from it by index; a missing handler is null.
//
// The last index [2] of most entries: 0 one lane, 1 chunks of sixteen lanes.
#pragma once

#include "emulator/isa/instruction_set.h"
#include "emulator/isa/message_step.h"
#include "emulator/isa/step.h"
#include "isa/xe/data_type.h"

namespace zetl::emulator::isa {

/// Types in which lanes compute. Narrower integers widen to 32 bits, hf and bf to f32.
enum class LaneType : std::uint8_t { i32, u32, i64, u64, f32, f64 };
inline constexpr int kLaneTypes = 6;
constexpr std::uint32_t byteSize(LaneType e) noexcept {
    return e == LaneType::i32 || e == LaneType::u32 || e == LaneType::f32 ? 4 : 8;
}
constexpr bool isReal(LaneType e) noexcept { return e >= LaneType::f32; }
constexpr bool isWholeNumber(LaneType e) noexcept { return !isReal(e); }

/// Row numbers: hardware opcodes, and from 0x100 variants of one opcode that differ in arithmetic.
enum RowNumber : std::uint16_t {
    kMathRows = 0x100,
    kSelRows = 0x114,  // two numbers behind those of math
    kCarryRow = 0x120,
    kBorrowRow,
    kAddSaturatedRow,
    kAdd3SaturatedRow,
    kMulSaturatedRow,
    kMadSaturatedRow,
    kMacSaturatedRow,
    kShlSaturatedRow,
    kRorShortRow,
    kRolShortRow,
    kRorByteRow,
    kRolByteRow,
    kRows
};
/// In the option of these rows: results are saturated to the range of a uq, for every lane type.
inline constexpr std::uint8_t kSaturatesToUnsigned = 0x80;

/// Flag conditions as compare() numbers them: the hardware's 1 to 6, unordered, and cmpn's forms that a NaN satisfies.
enum : std::uint8_t { kUnorderedCompare = 7, kOrNan = 8, kCompares = 14 };

/// Distances of a source's elements that have handlers: 0, 1, 2 and 4.
inline constexpr std::size_t kStrides = 4;

struct StepTable {
    const char* name;
    Handler compute[kRows][kLaneTypes][2][2];              // [row][lanes][masked][wide]
    Handler convert[kDataTypes][kLaneTypes][kStrides][2];  // [source type][lanes][stride 0 1 2 4][wide]
    Handler modify[kLaneTypes][2];                         // absolute, negate, complement in place
    Handler clamp[kLaneTypes][kDataTypes];                 // saturate in place
    Handler narrow[kLaneTypes][kDataTypes];                // the value as the destination type will show it, in place
    Handler retire[kLaneTypes][kDataTypes][2][2];          // [lanes][type][masked][wide]
    Handler compare[kCompares][kLaneTypes][2];             // lanes to flag bits
    Handler pick[2][2][2];                                 // sel by flag: [64 bit][masked][wide]
    Handler flushHalf[2];                                  // hf denormals among f32 or f64 lanes, if cr0 says so
    Handler roundToInteger[2];                             // f32 or f64 lanes that become integers, if cr0 says so
    Handler gather;                                        // raw bytes from any region, indirect too
    Handler scatter;                                       // raw bytes to any region
    Handler spread;                                        // flag bits to lanes: results of cmp
    Handler copy;                                          // raw bytes that a later step must not see change
    Handler sample;                                        // messages that read images
    MessageHandlers messages;                              // by family and form
    Handler systolic[5][2][2];        // dpas on integers, hf, bf, tf32, smaller: [kind][narrow C][narrow D]
    Handler scaledSystolic[3][2][2];  // bdpas on hf, bf, smaller
};

extern const StepTable kTableSse4;
#if ZETL_ISA_VECTOR_TABLES
extern const StepTable kTableAvx2;
extern const StepTable kTableAvx512;
#endif

/// The table for this processor, see hostInstructionSet().
const StepTable& hostTable() noexcept;
/// By name, for tests; null if this build or this processor lacks it.
const StepTable* findTable(std::string_view name) noexcept;

/// As lower() in program.h, with the handlers of a given table.
std::unique_ptr<Program> lower(std::span<const std::byte> code, const LowerOptions& options, const StepTable& table);

/// The rows' numbers, names and exactness, for reports and tests.
struct RowInfo {
    std::uint16_t number;
    std::string_view name;
    Exactness exactness;
};
std::span<const RowInfo> allRows() noexcept;

}  // namespace zetl::emulator::isa
