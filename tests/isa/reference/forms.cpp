#include "reference/forms.h"

namespace zetl::test::reference {
namespace {

using emulator::isa::DataType;
using emulator::isa::Opcode;

constexpr Types kByte = bit(DataType::b) | bit(DataType::ub);
constexpr Types kWord = bit(DataType::w) | bit(DataType::uw);
constexpr Types kDword = bit(DataType::d) | bit(DataType::ud);
constexpr Types kLong = bit(DataType::q) | bit(DataType::uq);
constexpr Types kShort = kByte | kWord | kDword;
constexpr Types kWhole = kShort | kLong;
constexpr Types kUnsigned = bit(DataType::ub) | bit(DataType::uw) | bit(DataType::ud) | bit(DataType::uq);
constexpr Types kD = bit(DataType::d);
constexpr Types kUd = bit(DataType::ud);
constexpr Types kHf = bit(DataType::hf);
constexpr Types kF = bit(DataType::f);
constexpr Types kDf = bit(DataType::df);
constexpr Types kBf = bit(DataType::bf);
constexpr Types kBf8 = bit(DataType::bf8);
constexpr Types kTf32 = bit(DataType::tf32);
constexpr Types kNone = 0;

constexpr std::uint32_t kArithmetic = kSign | kSaturate | kConditions | kOverflow | kImmediate;
constexpr std::uint32_t kOfDoubles = kSign | kSaturate | kConditions | kOverflow;  // no room for a constant
constexpr std::uint32_t kLogic = kComplement | kConditions | kImmediate;
constexpr std::uint32_t kPlainMath = kSign | kSaturate;

constexpr Form kForms[] = {
    // moves
    {Opcode::mov, 0, kWhole | kHf | kF | kDf, {kWhole | kHf | kF | kDf, kNone, kNone}, kArithmetic},
    {Opcode::mov, 0, kBf, {kF | kBf | kHf, kNone, kNone}, kSign},
    {Opcode::mov, 0, kF | kHf | kDf, {kBf, kNone, kNone}, kSign},
    {Opcode::mov, 0, kTf32, {kF, kNone, kNone}, 0},
    {Opcode::mov, 0, kBf8, {kHf, kNone, kNone}, 0},
    {Opcode::mov, 0, kHf, {kBf8, kNone, kNone}, 0},
    {Opcode::movi, 0, kShort | kF | kHf, {kShort | kF | kHf, kNone, kNone}, kUniform | kSixteen},
    // selections and comparisons
    {Opcode::sel, 0, kWhole, {kWhole, kWhole, kNone}, kSign | kSaturate | kMayCompare | kImmediate | kOrdered},
    {Opcode::sel, 0, kF | kHf, {kF | kHf, kF | kHf, kNone}, kSign | kSaturate | kMayCompare | kImmediate},
    {Opcode::sel, 0, kDf | kBf, {kDf | kBf, kDf | kBf, kNone}, kSign | kSaturate | kMayCompare | kUniform},
    {Opcode::csel, 0, kWhole, {kWhole, kWhole, kWhole}, kSign | kCompares | kImmediate | kOrdered | kNoPredicate},
    {Opcode::csel,
     0,
     kF | kHf | kDf,
     {kF | kHf | kDf, kF | kHf | kDf, kF | kHf | kDf},
     kSign | kCompares | kUniform | kNoPredicate},
    {Opcode::cmp, 0, kWhole, {kWhole, kWhole, kNone}, kSign | kCompares | kImmediate | kOrdered},
    {Opcode::cmp, 0, kWhole | kF | kHf, {kF | kHf, kF | kHf, kNone}, kSign | kCompares | kImmediate},
    {Opcode::cmp, 0, kLong | kDf, {kDf, kDf, kNone}, kSign | kCompares},
    {Opcode::cmp, 0, kF | kBf, {kF | kBf, kF | kBf, kNone}, kSign | kCompares},
    {Opcode::cmpn, 0, kWhole, {kWhole, kWhole, kNone}, kSign | kCompares | kImmediate | kOrdered},
    {Opcode::cmpn, 0, kF | kHf | kDword, {kF | kHf, kF | kHf, kNone}, kSign | kCompares | kImmediate},
    {Opcode::cmpn, 0, kLong | kDf, {kDf, kDf, kNone}, kSign | kCompares},
    // sums and products of whole numbers
    {Opcode::add, 0, kWhole, {kWhole, kWhole, kNone}, kArithmetic},
    {Opcode::mul, 0, kWhole, {kWhole, kWhole, kNone}, kArithmetic},
    {Opcode::avg, 0, kWhole, {kWhole, kWhole, kNone}, kArithmetic | kOrdered},
    {Opcode::add3, 0, kWhole, {kWhole, kWhole, kWhole}, kArithmetic},
    {Opcode::mad, 0, kWhole, {kWhole, kWhole, kWhole}, kArithmetic},
    {Opcode::dp4a, 0, kDword, {kDword, kDword, kDword}, kSaturate | kConditions | kOverflow},
    {Opcode::mac, 0, kWord | kDword, {kWord | kDword, kWord | kDword, kNone}, kArithmetic},
    {Opcode::mach, 0, kDword, {kDword, kDword, kNone}, kConditions | kOverflow | kImmediate},
    {Opcode::macl, 0, kDword, {kDword, kDword, kNone}, kConditions | kOverflow | kImmediate},
    {Opcode::addc, 0, kUd, {kUd, kUd, kNone}, kConditions | kOverflow | kImmediate},
    {Opcode::subb, 0, kUd, {kUd, kUd, kNone}, kConditions | kOverflow | kImmediate},
    {Opcode::math, 12, kD, {kD, kD, kNone}, 0},
    {Opcode::math, 12, kUd, {kUd, kUd, kNone}, 0},
    {Opcode::math, 13, kD, {kD, kD, kNone}, 0},
    {Opcode::math, 13, kUd, {kUd, kUd, kNone}, 0},
    {Opcode::dpas, 0, kDword, {kDword, kByte, kByte}, 0},
    {Opcode::dpas, 0, kF | kHf, {kF | kHf, kHf, kHf}, 0},
    {Opcode::dpas, 0, kF | kBf, {kF | kBf, kBf, kBf}, 0},
    {Opcode::dpas, 0, kF, {kF, kTf32, kTf32}, 0},
    // bits
    {Opcode::bitNot, 0, kWhole, {kWhole, kNone, kNone}, kLogic},
    {Opcode::bitAnd, 0, kWhole, {kWhole, kWhole, kNone}, kLogic},
    {Opcode::bitOr, 0, kWhole, {kWhole, kWhole, kNone}, kLogic},
    {Opcode::bitXor, 0, kWhole, {kWhole, kWhole, kNone}, kLogic},
    {Opcode::bfn, 0, kShort | kLong, {kShort | kLong, kShort | kLong, kShort | kLong}, kImmediate},
    {Opcode::shl, 0, kWhole, {kWhole, kWhole, kNone}, kArithmetic},
    {Opcode::shr, 0, kWhole, {kWhole, kWhole, kNone}, kSign | kConditions | kImmediate},
    {Opcode::asr, 0, kWhole, {kWhole, kWhole, kNone}, kArithmetic | kOrdered},
    {Opcode::ror, 0, kUnsigned, {kUnsigned, kUnsigned, kNone}, kUniform | kConditions},
    {Opcode::rol, 0, kUnsigned, {kUnsigned, kUnsigned, kNone}, kUniform | kConditions},
    {Opcode::lzd, 0, kUd, {kDword, kNone, kNone}, kConditions},
    {Opcode::fbh, 0, kUd, {kDword, kNone, kNone}, 0},
    {Opcode::fbl, 0, kUd, {kUd, kNone, kNone}, 0},
    {Opcode::cbit, 0, kUd, {kUnsigned, kNone, kNone}, 0},
    {Opcode::bfrev, 0, kUd, {kUd, kNone, kNone}, 0},
    {Opcode::bfe, 0, kDword, {kDword, kDword, kDword}, kUniform},
    {Opcode::bfi1, 0, kDword, {kDword, kDword, kNone}, kUniform | kImmediate},
    {Opcode::bfi2, 0, kDword, {kDword, kDword, kDword}, kUniform},
    // reals
    {Opcode::add, 0, kF | kHf, {kF | kHf, kF | kHf, kNone}, kArithmetic},
    {Opcode::add, 0, kF | kBf, {kF | kBf, kF | kBf, kNone}, kArithmetic},
    {Opcode::add, 0, kDf, {kDf, kDf, kNone}, kOfDoubles},
    {Opcode::add, 0, kWhole, {kF | kHf, kF | kHf, kNone}, kArithmetic},
    {Opcode::add, 0, kWhole, {kDf, kDf, kNone}, kOfDoubles},
    {Opcode::add, 0, kF, {kShort, kShort, kNone}, kConditions | kImmediate},
    {Opcode::mul, 0, kF | kHf, {kF | kHf, kF | kHf, kNone}, kArithmetic},
    {Opcode::mul, 0, kF | kBf, {kF | kBf, kF | kBf, kNone}, kArithmetic},
    {Opcode::mul, 0, kDf, {kDf, kDf, kNone}, kOfDoubles},
    {Opcode::mul, 0, kWhole, {kF | kHf, kF | kHf, kNone}, kArithmetic},
    {Opcode::mul, 0, kF, {kShort, kShort, kNone}, kConditions | kImmediate},
    {Opcode::mad, 0, kF | kHf, {kF | kHf, kF | kHf, kF | kHf}, kArithmetic},
    {Opcode::mad, 0, kF | kBf, {kF | kBf, kF | kBf, kF | kBf}, kSign | kSaturate | kConditions},
    {Opcode::mad, 0, kDf, {kDf, kDf, kDf}, kSign | kSaturate | kConditions | kOverflow},
    {Opcode::mac, 0, kF | kHf, {kF | kHf, kF | kHf, kNone}, kSign | kSaturate | kConditions | kImmediate},
    {Opcode::mac, 0, kDf, {kDf, kDf, kNone}, kSign | kSaturate | kConditions},
    {Opcode::frc, 0, kF | kHf | kDf, {kF | kHf | kDf, kNone, kNone}, kUniform | kSign | kConditions},
    {Opcode::rndu, 0, kF | kHf | kDf, {kF | kHf | kDf, kNone, kNone}, kUniform | kSign | kSaturate | kConditions},
    {Opcode::rndd, 0, kF | kHf | kDf, {kF | kHf | kDf, kNone, kNone}, kUniform | kSign | kSaturate | kConditions},
    {Opcode::rnde, 0, kF | kHf | kDf, {kF | kHf | kDf, kNone, kNone}, kUniform | kSign | kSaturate | kConditions},
    {Opcode::rndz, 0, kF | kHf | kDf, {kF | kHf | kDf, kNone, kNone}, kUniform | kSign | kSaturate | kConditions},
    {Opcode::srnd, 0, kHf, {kF, kF, kNone}, kNoPredicate},
    {Opcode::srnd, 0, kBf8, {kHf, kHf, kNone}, kNoPredicate},
    {Opcode::madm, 0, kF | kDf, {kF | kDf, kF | kDf, kF | kDf}, kUniform | kMacro},
    {Opcode::math, 1, kF | kHf, {kF | kHf, kNone, kNone}, kPlainMath},
    {Opcode::math, 2, kF | kHf, {kF | kHf, kNone, kNone}, kPlainMath},
    {Opcode::math, 3, kF | kHf, {kF | kHf, kNone, kNone}, kPlainMath},
    {Opcode::math, 4, kF | kHf, {kF | kHf, kNone, kNone}, kPlainMath},
    {Opcode::math, 5, kF | kHf, {kF | kHf, kNone, kNone}, kPlainMath},
    {Opcode::math, 6, kF | kHf, {kF | kHf, kNone, kNone}, kPlainMath},
    {Opcode::math, 7, kF | kHf, {kF | kHf, kNone, kNone}, kPlainMath},
    {Opcode::math, 9, kF | kHf, {kF | kHf, kF | kHf, kNone}, kPlainMath},
    {Opcode::math, 10, kF | kHf, {kF | kHf, kF | kHf, kNone}, kPlainMath},
    {Opcode::math, 14, kF | kDf, {kF | kDf, kF | kDf, kNone}, kUniform | kMacro},
    {Opcode::math, 15, kF | kDf, {kF | kDf, kNone, kNone}, kUniform | kMacro},
};

constexpr std::string_view kFlow = "flow: flow_program.h";
constexpr std::string_view kNothing = "computes nothing";
constexpr std::string_view kMessage = "a message";

constexpr Excluded kExcluded[] = {
    {Opcode::illegal, kNothing},  {Opcode::sync, kNothing},    {Opcode::nop, kNothing},
    {Opcode::jmpi, kFlow},        {Opcode::brd, kFlow},        {Opcode::branchIf, kFlow},
    {Opcode::brc, kFlow},         {Opcode::branchElse, kFlow}, {Opcode::endif, kFlow},
    {Opcode::branchWhile, kFlow}, {Opcode::breakLoop, kFlow},  {Opcode::continueLoop, kFlow},
    {Opcode::halt, kFlow},        {Opcode::calla, kFlow},      {Opcode::call, kFlow},
    {Opcode::ret, kFlow},         {Opcode::jumpTo, kFlow},     {Opcode::join, kFlow},
    {Opcode::send, kMessage},     {Opcode::sendc, kMessage},
};

}  // namespace

std::span<const Form> forms() noexcept { return kForms; }
std::span<const Excluded> excludedOpcodes() noexcept { return kExcluded; }

}  // namespace zetl::test::reference
