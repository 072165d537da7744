// Machine code for the tests, written as the few instructions that they need.
#pragma once

#include <ze_tools_layer/instrumentation.h>

#include <cstring>
#include <vector>

#include "isa/xe/word.h"

namespace zetl::instrumentation {

using isa::xe::Word;
using MachineCode = std::vector<std::uint8_t>;

inline MachineCode encoded(const Word& word) {
    MachineCode bytes(16);
    std::memcpy(bytes.data(), &word.low, sizeof word.low);
    std::memcpy(&bytes[8], &word.high, sizeof word.high);
    return bytes;
}

/// A branch of 32 lanes whose distances are in instructions of 16 bytes.
inline MachineCode branch(std::uint8_t opcode, int near, int far = 0, bool predicated = false) {
    Word word;
    word.set(6, 0, opcode);
    word.set(20, 18, 5);
    word.set(46, 46, 1);
    word.set(27, 26, predicated);
    word.set(127, 96, static_cast<std::uint32_t>(near * 16));
    word.set(95, 64, static_cast<std::uint32_t>(far * 16));
    return encoded(word);
}
inline MachineCode goTo(int near, int far) { return branch(0x2e, near, far, true); }
inline MachineCode join(int near) { return branch(0x2f, near); }
inline MachineCode jump(int near, bool predicated = false) { return branch(0x20, near, 0, predicated); }

/// mov (16|M0) rA:ud rB:ud, under the execution mask.
inline MachineCode masked(std::uint32_t target, std::uint32_t source) {
    Word word{0x0005022000100061, 0x100004};
    word.set(63, 56, target);
    word.set(79, 72, source);
    return encoded(word);
}
/// add (16|M0) rA:ud rB:ud r0:ub, under the execution mask.
inline MachineCode maskedSum(std::uint32_t target, std::uint32_t source) {
    MachineCode code = masked(target, source);
    constexpr std::uint8_t kAdd = 0x40;
    code[0] = kAdd;
    return code;
}
/// mov (1|M0) rA:uq = rB:uq without mask.
inline MachineCode scalar(std::uint32_t target, std::uint32_t source) {
    InsertedCode code;
    code.copy(target, source);
    return {code.bytes().begin(), code.bytes().end()};
}
/// The end of the thread.
inline MachineCode end() {
    Word word{0x0000000480012f31, 0};
    word.set(66, 66, 1);
    word.set(71, 67, 1);
    word.set(95, 92, 3);
    return encoded(word);
}

inline MachineCode sequence(std::initializer_list<MachineCode> parts) {
    MachineCode code;
    for (const MachineCode& part : parts) code.insert(code.end(), part.begin(), part.end());
    return code;
}

}  // namespace zetl::instrumentation
