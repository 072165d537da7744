// A SPIR-V module as words (the specification's "Physical Layout of a SPIR-V Module and Instruction"), for those who
// read or rewrite it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <vector>

#include "binary/kernel_image.h"

namespace zetl::binary::spirv {

using Word = std::uint32_t;
using Words = std::span<const Word>;

inline constexpr std::size_t kHeaderWords = 5;
inline constexpr std::size_t kBoundWord = 3;  ///< of the header: all ids are less than its value

/// Instructions by the specification's names.
enum Opcode : std::uint16_t {
    kUndef = 1,
    kName = 5,
    kMemberName = 6,
    kString = 7,
    kLine = 8,
    kExtendedImport = 11,
    kExtendedInstruction = 12,
    kMemoryModel = 14,
    kEntryPoint = 15,
    kExecutionMode = 16,
    kCapability = 17,
    kTypeBool = 20,
    kTypeInt = 21,
    kTypeFloat = 22,
    kTypeVector = 23,
    kTypeArray = 28,
    kTypeStruct = 30,
    kTypePointer = 32,
    kTypeFunction = 33,
    kConstantFalse = 42,
    kConstant = 43,
    kConstantNull = 46,
    kSpecTrue = 48,
    kSpecFalse = 49,
    kSpecConstant = 50,
    kFunction = 54,
    kParameter = 55,
    kFunctionEnd = 56,
    kCall = 57,
    kVariable = 59,
    kLoad = 61,
    kStore = 62,
    kAccessChain = 65,
    kInBoundsAccessChain = 66,
    kPtrAccessChain = 67,
    kInBoundsPtrAccessChain = 70,
    kDecorate = 71,
    kMemberDecorate = 72,
    kDecorationGroup = 73,
    kCompositeExtract = 81,
    kCompositeInsert = 82,
    kSConvert = 114,
    kConvertPtrToU = 117,
    kBitcast = 124,
    kISub = 130,
    kSDiv = 135,
    kLogicalEqual = 164,
    kLogicalNot = 168,
    kIEqual = 170,
    kINotEqual = 171,
    kLoopMerge = 246,
    kSelectionMerge = 247,
    kLabel = 248,
    kBranchConditional = 250,
    kSwitch = 251,
    kLifetimeStart = 256,
    kLifetimeStop = 257,
    kExecutionModeId = 331,
    kDecorateId = 332,
    kPtrEqual = 401,
    kPtrNotEqual = 402,
    kPtrDiff = 403,
    kFunctionPointer = 5600,
    kDecorateString = 5632,
    kMemberDecorateString = 5633,
};

/// Calls visit(opcode, words) for each of the instructions, which must be known to be whole.
template <class F>
void forEachOf(Words instructions, F&& visit) {
    for (std::size_t at = 0; at < instructions.size();) {
        const std::size_t length = instructions[at] >> 16;
        visit(static_cast<std::uint16_t>(instructions[at]), instructions.subspan(at, length));
        at += length;
    }
}

/// The same for those of a module, which must be known to fill it.
template <class F>
void forEachInstruction(Words words, F&& visit) {
    forEachOf(words.subspan(kHeaderWords), visit);
}

inline std::vector<Word> wordsOf(const Bytes& spirv) {
    std::vector<Word> words(spirv.size() / sizeof(Word));
    std::memcpy(words.data(), spirv.data(), words.size() * sizeof(Word));
    return words;
}

/// A module that is being written anew, instruction by instruction.
class Rewriting {
  public:
    /// Begins with the header of the old one.
    explicit Rewriting(Words module) : words_(module.begin(), module.begin() + kHeaderWords) {}

    void keep(Words instructions) { words_.insert(words_.end(), instructions.begin(), instructions.end()); }
    void add(Opcode opcode, Words operands) {
        words_.push_back(static_cast<Word>((operands.size() + 1) << 16 | opcode));
        keep(operands);
    }
    void add(Opcode opcode, std::initializer_list<Word> operands) {
        add(opcode, Words(operands.begin(), operands.size()));
    }
    Word newId() { return words_[kBoundWord]++; }

    Bytes bytes() const {
        Bytes bytes(words_.size() * sizeof(Word));
        std::memcpy(bytes.data(), words_.data(), bytes.size());
        return bytes;
    }

  private:
    std::vector<Word> words_;
};

}  // namespace zetl::binary::spirv
