#include "binary/spirv_builtins.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "binary/spirv_words.h"

namespace zetl::binary {
namespace spirv::builtins {
namespace {

constexpr std::uint32_t kBuiltIn = 11;
constexpr std::uint32_t kVolatile = 1;

/// The words of an instruction that name values which may be pointers; all words, for instructions not listed.
struct Operands {
    std::uint16_t opcode;
    std::size_t first;
    std::size_t end;
};
constexpr Operands kOperands[] = {
    {kLine, 0, 0},
    {kLoopMerge, 0, 0},
    {kSelectionMerge, 0, 0},
    {kBranchConditional, 0, 0},
    {kSwitch, 0, 0},
    {kExtendedInstruction, 5, ~std::size_t{0}},
    {kLoad, 3, 4},
    {kStore, 1, 3},
    {kCompositeExtract, 3, 4},
    {kCompositeInsert, 3, 5},
};

struct Vector {
    std::uint32_t element;  ///< type
    std::uint32_t count;
};

/// A pointer into a built-in vector that was made from another pointer.
struct Inside {
    std::uint32_t variable;
    std::uint32_t vectorType;
    Vector vector;
    std::uint32_t base;    ///< the pointer it was made from: the variable, or another of these
    std::uint64_t offset;  ///< bytes
    bool used = false;     ///< by more than loads of one element, and pointers that are not used
};

/// One element of a built-in vector.
struct Element {
    std::uint32_t variable;
    std::uint32_t vectorType;
    std::uint32_t index;
};

constexpr bool isPtrChain(std::uint16_t opcode) {
    return opcode == kPtrAccessChain || opcode == kInBoundsPtrAccessChain;
}
constexpr bool isChain(std::uint16_t opcode) {
    return opcode == kAccessChain || opcode == kInBoundsAccessChain || isPtrChain(opcode);
}

/// Finds the pointers in one walk, and their uses in another.
class Reader {
  public:
    explicit Reader(Words words) {
        forEachInstruction(words, [this](std::uint16_t opcode, Words each) { read(opcode, each); });
        if (inside_.empty()) return;
        bool inFunction = false;
        forEachInstruction(words, [&](std::uint16_t opcode, Words each) {
            inFunction = inFunction || opcode == kFunction;
            if (inFunction) noteUses(opcode, each);
        });
        // A value that is made from a pointer comes behind it.
        for (auto id = inOrder_.rbegin(); id != inOrder_.rend(); ++id) {
            const Inside& each = inside_.at(*id);
            const auto base = inside_.find(each.base);
            if (each.used && base != inside_.end()) base->second.used = true;
        }
    }

    bool empty() const { return inside_.empty(); }
    bool isUnused(std::uint32_t pointer) const {
        const auto found = inside_.find(pointer);
        return found != inside_.end() && !found->second.used;
    }

    /// The element that a load reads through such a pointer, if it is one element.
    std::optional<Element> elementOf(Words load) const {
        if (load.size() < 4 || (load.size() > 4 && (load[4] & kVolatile) != 0)) return std::nullopt;
        const auto pointer = inside_.find(load[3]);
        if (pointer == inside_.end()) return std::nullopt;
        const Inside& from = pointer->second;
        const std::uint64_t bytes = bytesOf(from.vector.element);
        if (load[1] != from.vector.element || bytes == 0 || from.offset % bytes != 0 ||
            from.offset / bytes >= from.vector.count)
            return std::nullopt;
        return Element{from.variable, from.vectorType, static_cast<std::uint32_t>(from.offset / bytes)};
    }

  private:
    using Map = std::unordered_map<std::uint32_t, std::uint32_t>;

    std::unordered_set<std::uint32_t> builtins_;
    std::unordered_map<std::uint32_t, Vector> vectors_;  ///< by type
    Map bytes_;                                          ///< of scalar types
    Map pointees_;                                       ///< by pointer type
    Map pointerTypes_;                                   ///< of variables and of pointers inside
    Map constants_;                                      ///< whose value fits into 32 bits
    std::unordered_map<std::uint32_t, Inside> inside_;
    std::vector<std::uint32_t> inOrder_;

    static std::optional<std::uint32_t> find(const Map& map, std::uint32_t key) {
        const auto found = map.find(key);
        return found == map.end() ? std::nullopt : std::optional(found->second);
    }
    std::optional<std::uint32_t> pointeeOf(std::uint32_t pointer) const {
        const auto type = find(pointerTypes_, pointer);
        return type ? find(pointees_, *type) : std::nullopt;
    }
    /// The size of a scalar, or of a vector (not counting what makes three as long as four); 0: not known.
    std::uint64_t bytesOf(std::uint32_t type) const {
        const auto vector = vectors_.find(type);
        if (vector == vectors_.end()) return find(bytes_, type).value_or(0);
        return std::uint64_t{find(bytes_, vector->second.element).value_or(0)} * vector->second.count;
    }

    void read(std::uint16_t opcode, Words words) {
        if (words.size() < 3) return;
        if (opcode == kTypeInt || opcode == kTypeFloat) bytes_[words[1]] = words[2] / 8;
        if (words.size() < 4) return;
        if (opcode == kDecorate && words[2] == kBuiltIn) builtins_.insert(words[1]);
        if (opcode == kTypeVector) vectors_[words[1]] = {words[2], words[3]};
        if (opcode == kTypePointer) pointees_[words[1]] = words[3];
        if (opcode == kVariable && builtins_.contains(words[2])) pointerTypes_[words[2]] = words[1];
        if (opcode == kConstant && std::all_of(words.begin() + 4, words.end(), [](auto high) { return high == 0; }))
            constants_[words[2]] = words[3];
        if (opcode == kBitcast || isChain(opcode)) readPointer(opcode, words);
    }

    /// The instruction makes a pointer words[2] of type words[1] of words[3].
    void readPointer(std::uint16_t opcode, Words words) {
        const std::uint32_t base = words[3];
        const auto from = inside_.find(base);
        const bool known = from != inside_.end();
        const std::uint32_t variable = known ? from->second.variable : base;
        const auto whole = known ? std::optional(from->second.vectorType) : pointeeOf(variable);
        const auto vector = whole ? vectors_.find(*whole) : vectors_.end();
        if (!builtins_.contains(variable) || vector == vectors_.end()) return;
        const auto offset = opcode == kBitcast ? std::optional(std::uint64_t{0}) : offsetOf(opcode, words);
        if (!offset) return;
        const Inside made{variable, *whole, vector->second, base, (known ? from->second.offset : 0) + *offset};
        inside_[words[2]] = made;
        pointerTypes_[words[2]] = words[1];
        inOrder_.push_back(words[2]);
    }
    /// Of a chain of constants, from what it was made of.
    std::optional<std::uint64_t> offsetOf(std::uint16_t opcode, Words words) const {
        auto type = pointeeOf(words[3]);
        std::uint64_t offset = 0;
        bool steps = isPtrChain(opcode);  // the first index counts such things as the pointer points to
        for (const std::uint32_t each : words.subspan(4)) {
            const auto index = find(constants_, each);
            if (!index || !type) return std::nullopt;
            if (!steps) {
                const auto vector = vectors_.find(*type);
                type = vector == vectors_.end() ? std::nullopt : std::optional(vector->second.element);
            }
            const std::uint64_t bytes = type ? bytesOf(*type) : 0;
            if (*index != 0 && (bytes == 0 || (steps && vectors_.contains(*type)))) return std::nullopt;
            offset += *index * bytes;
            steps = false;
        }
        return offset;
    }

    void noteUses(std::uint16_t opcode, Words words) {
        if (opcode == kLoad && elementOf(words)) return;
        if ((opcode == kBitcast || isChain(opcode)) && words.size() > 3 && inside_.contains(words[2])) return;
        const auto* known = std::find_if(std::begin(kOperands), std::end(kOperands),
                                         [opcode](const Operands& each) { return each.opcode == opcode; });
        const std::size_t first = known == std::end(kOperands) ? 1 : known->first;
        const std::size_t end = std::min(words.size(), known == std::end(kOperands) ? words.size() : known->end);
        for (std::size_t i = first; i < end; ++i) {
            const auto found = inside_.find(words[i]);
            if (found != inside_.end()) found->second.used = true;
        }
    }
};

/// Whether it makes, names or describes a pointer that is not used any more.
bool isLeftOut(const Reader& reader, std::uint16_t opcode, Words words) {
    const bool makes = opcode == kBitcast || isChain(opcode);
    const bool describes = opcode == kName || opcode == kDecorate;
    return (makes || describes) && words.size() > 2 && reader.isUnused(words[makes ? 2 : 1]);
}

Bytes rewritten(Bytes module) {
    const std::vector<Word> words = wordsOf(module);
    const Reader reader(words);
    if (reader.empty()) return module;
    Rewriting out(words);
    forEachInstruction(words, [&](std::uint16_t opcode, Words each) {
        if (isLeftOut(reader, opcode, each)) return;
        const auto element = opcode == kLoad ? reader.elementOf(each) : std::nullopt;
        if (!element) {
            out.keep(each);
            return;
        }
        const Word whole = out.newId();
        out.add(kLoad, {element->vectorType, whole, element->variable});
        out.add(kCompositeExtract, {each[1], each[2], whole, element->index});
    });
    return out.bytes();
}

}  // namespace
}  // namespace spirv::builtins

Bytes withBuiltinsReadWhole(Bytes module) { return spirv::builtins::rewritten(std::move(module)); }

}  // namespace zetl::binary
