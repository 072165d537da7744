#include "binary/spirv_group_atomics.h"

#include <cstring>
#include <map>
#include <optional>

#include "binary/spirv.h"
#include "binary/spirv_words.h"

namespace zetl::binary {
namespace spirv::atomics {
namespace {

constexpr std::uint16_t kAtomicLoad = 227;
constexpr std::uint16_t kAtomicStore = 228;
constexpr std::uint16_t kAtomicXor = 242;
constexpr Word kWorkgroup = 2;  // the first of the scopes that are no wider than a group
constexpr Word kOrders = 0x1e;  // of the memory semantics: acquire, release, both, sequentially consistent

std::string textOf(Words literal) {
    std::string text(literal.size_bytes(), '\0');
    std::memcpy(text.data(), literal.data(), text.size());
    return text.substr(0, text.find('\0'));
}

/// Which of the words is the scope; the semantics follow.
std::optional<std::size_t> scopeIn(std::uint16_t opcode, Words each) noexcept {
    if (opcode < kAtomicLoad || opcode > kAtomicXor) return std::nullopt;
    const std::size_t at = opcode == kAtomicStore ? 2 : 4;
    return each.size() > at + 1 ? std::optional(at) : std::nullopt;
}

std::set<CodeLine> linesIn(Words words) {
    std::map<Word, Word> constants;
    std::map<Word, std::string> files;
    std::map<CodeLine, bool> lines;  // whether all atomics are such
    CodeLine line;
    forEachInstruction(words, [&](std::uint16_t opcode, Words each) {
        if (opcode == kString && each.size() > 2) files[each[1]] = textOf(each.subspan(2));
        if (opcode == kConstant && each.size() == 4) constants[each[2]] = each[3];
        if (opcode == kLine && each.size() == 4) line = {files[each[1]], each[2]};
        const auto scope = scopeIn(opcode, each);
        if (!scope) return;
        const bool within = constants[each[*scope]] >= kWorkgroup && (constants[each[*scope + 1]] & kOrders) != 0;
        const auto known = lines.try_emplace(line, true).first;
        known->second = known->second && within;
    });
    std::set<CodeLine> found;
    for (const auto& [each, within] : lines)
        if (within && each.second != 0) found.insert(each);
    return found;
}

}  // namespace
}  // namespace spirv::atomics

std::set<CodeLine> linesOfGroupAtomics(std::span<const std::uint8_t> module) {
    if (module.empty()) return {};
    const auto read = readSpirv(module);
    return read ? spirv::atomics::linesIn(read->words) : std::set<CodeLine>();
}

}  // namespace zetl::binary
