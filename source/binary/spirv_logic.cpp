#include "binary/spirv_logic.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "binary/spirv_words.h"

namespace zetl::binary {
namespace spirv::logic {
namespace {

bool isNot(std::uint16_t opcode, Words each) { return opcode == kLogicalNot && each.size() == 4; }

Bytes rewritten(Bytes module) {
    const std::vector<Word> words = wordsOf(module);
    Rewriting out(words);
    std::map<Word, Word> falseOf;  // by type: a truth value or a vector of them
    std::set<Word> scalars;
    forEachInstruction(words, [&](std::uint16_t opcode, Words each) {
        if (opcode == kTypeBool && each.size() == 2) scalars.insert(each[1]);
        if (isNot(opcode, each) && !falseOf.contains(each[1])) falseOf[each[1]] = out.newId();
    });
    if (falseOf.empty()) return module;
    bool declared = false;
    forEachInstruction(words, [&](std::uint16_t opcode, Words each) {
        if (opcode == kFunction && !std::exchange(declared, true))
            for (const auto& [type, id] : falseOf)
                out.add(scalars.contains(type) ? kConstantFalse : kConstantNull, {type, id});
        if (isNot(opcode, each))
            out.add(kLogicalEqual, {each[1], each[2], each[3], falseOf.at(each[1])});
        else
            out.keep(each);
    });
    return out.bytes();
}

}  // namespace
}  // namespace spirv::logic

Bytes withoutLogicalNot(Bytes module) { return spirv::logic::rewritten(std::move(module)); }

}  // namespace zetl::binary
