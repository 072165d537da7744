#include "binary/spirv_logic.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace zetl::binary {
namespace logic {
namespace {

using Words = std::span<const std::uint32_t>;

enum Opcode : std::uint16_t {
    kTypeBool = 20,
    kConstantFalse = 42,
    kConstantNull = 46,
    kFunction = 54,
    kLogicalEqual = 164,
    kLogicalNot = 168
};
constexpr std::size_t kHeaderWords = 5;
constexpr std::size_t kBoundWord = 3;

constexpr std::uint32_t head(std::uint16_t opcode, std::uint32_t words) { return words << 16 | opcode; }

template <class F>
void forEachInstruction(Words words, F&& visit) {
    for (std::size_t at = kHeaderWords; at < words.size();) {
        const std::size_t length = words[at] >> 16;
        visit(static_cast<std::uint16_t>(words[at]), words.subspan(at, length));
        at += length;
    }
}
bool isNot(std::uint16_t opcode, Words each) { return opcode == kLogicalNot && each.size() == 4; }

Bytes rewritten(Bytes spirv) {
    std::vector<std::uint32_t> words(spirv.size() / sizeof(std::uint32_t));
    std::memcpy(words.data(), spirv.data(), words.size() * sizeof(std::uint32_t));
    std::map<std::uint32_t, std::uint32_t> falseOf;  // by type: a truth value or a vector of them
    std::set<std::uint32_t> scalars;
    forEachInstruction(words, [&](std::uint16_t opcode, Words each) {
        if (opcode == kTypeBool && each.size() == 2) scalars.insert(each[1]);
        if (isNot(opcode, each) && falseOf.try_emplace(each[1], words[kBoundWord]).second) ++words[kBoundWord];
    });
    if (falseOf.empty()) return spirv;
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
    spirv.resize(out.size() * sizeof(std::uint32_t));
    std::memcpy(spirv.data(), out.data(), spirv.size());
    return spirv;
}

}  // namespace
}  // namespace logic

Bytes withoutLogicalNot(Bytes spirv) { return logic::rewritten(std::move(spirv)); }

}  // namespace zetl::binary
