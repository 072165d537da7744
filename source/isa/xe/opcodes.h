// The only list of hardware opcodes, of all architectures: number, mnemonic, encoding format, and how faithful the
// emulation is.
//
// The arithmetic of an opcode is a row in rows_*.h; a test compares those rows with this list.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace zetl::isa::xe {

/// How closely results agree with the specification of the hardware.
enum class Exactness : std::uint8_t {
    exact,        ///< every bit, where the specification defines it
    approximate,  ///< within the hardware's stated precision, but not bit for bit
    unsupported,  ///< refused by name when executed
};

/// Functions of `math` that change how it is decoded, written or executed.
namespace math_function {
inline constexpr std::uint8_t kFirstBinary = 8;

inline constexpr std::uint8_t kInv = 1;
inline constexpr std::uint8_t kIdiv = 11;
inline constexpr std::uint8_t kInvm = 14;
inline constexpr std::uint8_t kRsqtm = 15;
inline constexpr std::uint8_t kTanh = 16;  // in the encoding they have the numbers of fdiv and pow
inline constexpr std::uint8_t kSigm = 17;
}  // namespace math_function

/// Functions of `sync` for which a thread waits for others; for the rest it waits for its own registers.
namespace sync_function {
inline constexpr std::uint8_t kBarrier = 0xe;
inline constexpr std::uint8_t kHost = 0xf;
}  // namespace sync_function

enum class Format : std::uint8_t { control, sync, branch, send, one, two, three, math, systolic };

// X(identifier, number, mnemonic, format, sources, exactness)
#define ZETL_ISA_OPCODES(X)                           \
    X(illegal, 0x00, "illegal", control, 0, exact)    \
    X(sync, 0x01, "sync", sync, 0, exact)             \
    X(jmpi, 0x20, "jmpi", branch, 0, exact)           \
    X(brd, 0x21, "brd", branch, 0, exact)             \
    X(branchIf, 0x22, "if", branch, 0, exact)         \
    X(brc, 0x23, "brc", branch, 0, exact)             \
    X(branchElse, 0x24, "else", branch, 0, exact)     \
    X(endif, 0x25, "endif", branch, 0, exact)         \
    X(branchWhile, 0x27, "while", branch, 0, exact)   \
    X(breakLoop, 0x28, "break", branch, 0, exact)     \
    X(continueLoop, 0x29, "cont", branch, 0, exact)   \
    X(halt, 0x2a, "halt", branch, 0, exact)           \
    X(calla, 0x2b, "calla", branch, 0, exact)         \
    X(call, 0x2c, "call", branch, 0, exact)           \
    X(ret, 0x2d, "ret", branch, 0, exact)             \
    X(jumpTo, 0x2e, "goto", branch, 0, exact)         \
    X(join, 0x2f, "join", branch, 0, exact)           \
    X(send, 0x31, "send", send, 2, exact)             \
    X(sendc, 0x32, "sendc", send, 2, exact)           \
    X(sendg, 0x33, "sendg", send, 2, exact)           \
    X(sendgc, 0x34, "sendgc", send, 2, exact)         \
    X(sendgx, 0x35, "sendgx", send, 2, exact)         \
    X(sendgxc, 0x36, "sendgxc", send, 2, exact)       \
    X(math, 0x38, "math", math, 2, approximate)       \
    X(lfsr, 0x39, "lfsr", two, 2, approximate)        \
    X(add, 0x40, "add", two, 2, exact)                \
    X(mul, 0x41, "mul", two, 2, exact)                \
    X(avg, 0x42, "avg", two, 2, exact)                \
    X(frc, 0x43, "frc", one, 1, exact)                \
    X(rndu, 0x44, "rndu", one, 1, exact)              \
    X(rndd, 0x45, "rndd", one, 1, exact)              \
    X(rnde, 0x46, "rnde", one, 1, exact)              \
    X(rndz, 0x47, "rndz", one, 1, exact)              \
    X(mac, 0x48, "mac", two, 2, exact)                \
    X(mach, 0x49, "mach", two, 2, exact)              \
    X(lzd, 0x4a, "lzd", one, 1, exact)                \
    X(fbh, 0x4b, "fbh", one, 1, exact)                \
    X(fbl, 0x4c, "fbl", one, 1, exact)                \
    X(cbit, 0x4d, "cbit", one, 1, exact)              \
    X(addc, 0x4e, "addc", two, 2, exact)              \
    X(subb, 0x4f, "subb", two, 2, exact)              \
    X(shfl, 0x50, "shfl", two, 2, exact)              \
    X(add3, 0x52, "add3", three, 3, exact)            \
    X(macl, 0x53, "macl", two, 2, exact)              \
    X(srnd, 0x54, "srnd", two, 2, exact)              \
    X(dnscl, 0x55, "dnscl", three, 3, approximate)    \
    X(dp4a, 0x58, "dp4a", three, 3, exact)            \
    X(dpas, 0x59, "dpas", systolic, 3, approximate)   \
    X(mad, 0x5b, "mad", three, 3, exact)              \
    X(bdpas, 0x5c, "bdpas", systolic, 3, approximate) \
    X(madm, 0x5d, "madm", three, 3, approximate)      \
    X(mullh, 0x5f, "mullh", two, 2, exact)            \
    X(nop, 0x60, "nop", control, 0, exact)            \
    X(mov, 0x61, "mov", one, 1, exact)                \
    X(sel, 0x62, "sel", two, 2, exact)                \
    X(movi, 0x63, "movi", two, 2, exact)              \
    X(bitNot, 0x64, "not", one, 1, exact)             \
    X(bitAnd, 0x65, "and", two, 2, exact)             \
    X(bitOr, 0x66, "or", two, 2, exact)               \
    X(bitXor, 0x67, "xor", two, 2, exact)             \
    X(shr, 0x68, "shr", two, 2, exact)                \
    X(shl, 0x69, "shl", two, 2, exact)                \
    X(bfn, 0x6b, "bfn", three, 3, exact)              \
    X(asr, 0x6c, "asr", two, 2, exact)                \
    X(ror, 0x6e, "ror", two, 2, exact)                \
    X(rol, 0x6f, "rol", two, 2, exact)                \
    X(cmp, 0x70, "cmp", two, 2, exact)                \
    X(cmpn, 0x71, "cmpn", two, 2, exact)              \
    X(csel, 0x72, "csel", three, 3, exact)            \
    X(bfrev, 0x77, "bfrev", one, 1, exact)            \
    X(bfe, 0x78, "bfe", three, 3, exact)              \
    X(bfi1, 0x79, "bfi1", two, 2, exact)              \
    X(bfi2, 0x7a, "bfi2", three, 3, exact)

enum class Opcode : std::uint8_t {
#define ZETL_ISA_ENUM(id, number, mnemonic, format, sources, exactness) id = number,
    ZETL_ISA_OPCODES(ZETL_ISA_ENUM)
#undef ZETL_ISA_ENUM
};

struct OpcodeInfo {
    Opcode opcode;
    std::string_view mnemonic;
    Format format;
    std::uint8_t sources;
    Exactness exactness;
};

/// Messages of any form.
constexpr bool isSend(Opcode o) noexcept { return o >= Opcode::send && o <= Opcode::sendgxc; }
/// Those whose descriptor has 47 bits.
constexpr bool isGeneralSend(Opcode o) noexcept { return o >= Opcode::sendg && o <= Opcode::sendgxc; }

/// All opcodes, ascending by number.
std::span<const OpcodeInfo> allOpcodes() noexcept;
/// The entry of a 7-bit opcode number, or null if no architecture has it.
const OpcodeInfo* findOpcode(std::uint8_t number) noexcept;

}  // namespace zetl::isa::xe
