#include "binary/spirv_logic.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "binary/spirv_words.h"

namespace zetl::binary {
namespace logic {
namespace {

using spirv::forEachInstruction;
using spirv::head;
using spirv::kBoundWord;
using spirv::kHeaderWords;
using spirv::Words;

enum Opcode : std::uint16_t {
    kTypeBool = 20,
    kConstantFalse = 42,
    kConstantNull = 46,
    kFunction = 54,
    kLogicalEqual = 164,
    kLogicalNot = 168
};

bool isNot(std::uint16_t opcode, Words each) { return opcode == kLogicalNot && each.size() == 4; }

Bytes rewritten(Bytes module) {
    std::vector<std::uint32_t> words = spirv::wordsOf(module);
    std::map<std::uint32_t, std::uint32_t> falseOf;  // by type: a truth value or a vector of them
    std::set<std::uint32_t> scalars;
    forEachInstruction(words, [&](std::uint16_t opcode, Words each) {
        if (opcode == kTypeBool && each.size() == 2) scalars.insert(each[1]);
        if (isNot(opcode, each) && falseOf.try_emplace(each[1], words[kBoundWord]).second) ++words[kBoundWord];
    });
    if (falseOf.empty()) return module;
    std::vector<std::uint32_t> out(words.begin(), words.begin() + kHeaderWords);
    bool declared = false;
    forEachInstruction(words, [&](std::uint16_t opcode, Words each) {
        if (opcode == kFunction && !std::exchange(declared, true))
            for (const auto& [type, id] : falseOf)
                out.insert(out.end(), {head(scalars.contains(type) ? kConstantFalse : kConstantNull, 3), type, id});
        if (isNot(opcode, each))
            out.insert(out.end(), {head(kLogicalEqual, 5), each[1], each[2], each[3], falseOf.at(each[1])});
        else
            out.insert(out.end(), each.begin(), each.end());
    });
    return spirv::bytesOf(out);
}

}  // namespace
}  // namespace logic

Bytes withoutLogicalNot(Bytes module) { return logic::rewritten(std::move(module)); }

}  // namespace zetl::binary
