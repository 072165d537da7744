#include "binary/spirv_builtins.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace zetl::binary {
namespace builtins {
namespace {

using Words = std::span<const std::uint32_t>;

enum Opcode : std::uint16_t {
    kName = 5,
    kLine = 8,
    kExtendedInstruction = 12,
    kTypeVector = 23,
    kTypePointer = 32,
    kConstant = 43,
    kFunction = 54,
    kVariable = 59,
    kLoad = 61,
    kStore = 62,
    kAccessChain = 65,
    kInBoundsAccessChain = 66,
    kPtrAccessChain = 67,
    kInBoundsPtrAccessChain = 70,
    kDecorate = 71,
    kCompositeExtract = 81,
    kCompositeInsert = 82,
    kLoopMerge = 246,
    kSelectionMerge = 247,
    kBranchConditional = 250,
    kSwitch = 251,
};
constexpr std::uint32_t kBuiltIn = 11;
constexpr std::uint32_t kVolatile = 1;
constexpr std::size_t kHeaderWords = 5;
constexpr std::size_t kBoundWord = 3;

/// Which words of an instruction name values that may be pointers; of those not listed, all.
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
    std::uint32_t element;
    std::uint32_t count;
};

/// A pointer to one element of a built-in vector.
struct Chain {
    std::uint32_t variable;
    std::uint32_t vectorType;
    std::uint32_t elementType;
    std::uint32_t index;
    bool otherwiseUsed = false;  ///< by more than loads
};

constexpr bool isChain(std::uint16_t opcode) {
    return opcode == kAccessChain || opcode == kInBoundsAccessChain || opcode == kPtrAccessChain ||
           opcode == kInBoundsPtrAccessChain;
}
constexpr std::uint32_t head(std::uint16_t opcode, std::uint32_t words) { return words << 16 | opcode; }

template <class F>
void forEachInstruction(Words words, F&& visit) {
    for (std::size_t at = kHeaderWords; at < words.size();) {
        const std::size_t length = words[at] >> 16;
        visit(static_cast<std::uint16_t>(words[at]), words.subspan(at, length));
        at += length;
    }
}

/// Finds the pointers in one walk, and what uses them in another.
class Reader {
  public:
    explicit Reader(Words words) {
        forEachInstruction(words, [this](std::uint16_t opcode, Words each) { read(opcode, each); });
        if (chains_.empty()) return;
        bool inFunction = false;
        forEachInstruction(words, [&](std::uint16_t opcode, Words each) {
            inFunction = inFunction || opcode == kFunction;
            if (inFunction) noteUses(opcode, each);
        });
    }

    const Chain* chain(std::uint32_t id) const {
        const auto found = chains_.find(id);
        return found == chains_.end() ? nullptr : &found->second;
    }
    bool empty() const { return chains_.empty(); }

    /// The chain that a load reads one element through; null if the load is none of those.
    const Chain* chainOf(Words load) const {
        if (load.size() < 4 || (load.size() > 4 && (load[4] & kVolatile) != 0)) return nullptr;
        const Chain* found = chain(load[3]);
        return found != nullptr && found->elementType == load[1] ? found : nullptr;
    }

  private:
    std::unordered_set<std::uint32_t> builtins_;
    std::unordered_map<std::uint32_t, Vector> vectors_;           ///< by type
    std::unordered_map<std::uint32_t, std::uint32_t> pointees_;   ///< by pointer type
    std::unordered_map<std::uint32_t, std::uint32_t> variables_;  ///< to pointer type
    std::unordered_map<std::uint32_t, std::uint32_t> constants_;  ///< those of 32 bits, and longer ones that fit
    std::unordered_map<std::uint32_t, Chain> chains_;

    void read(std::uint16_t opcode, Words words) {
        if (words.size() < 4) return;
        if (opcode == kDecorate && words[2] == kBuiltIn) builtins_.insert(words[1]);
        if (opcode == kTypeVector) vectors_[words[1]] = {words[2], words[3]};
        if (opcode == kTypePointer) pointees_[words[1]] = words[3];
        if (opcode == kVariable) variables_[words[2]] = words[1];
        if (opcode == kConstant && std::all_of(words.begin() + 4, words.end(), [](auto high) { return high == 0; }))
            constants_[words[2]] = words[3];
        if (opcode == kAccessChain || opcode == kInBoundsAccessChain) readChain(words, 4);
        if (opcode == kPtrAccessChain || opcode == kInBoundsPtrAccessChain) {
            if (words.size() > 4 && constant(words[4]) == 0u) readChain(words, 5);
        }
    }
    std::optional<std::uint32_t> constant(std::uint32_t id) const {
        const auto found = constants_.find(id);
        return found == constants_.end() ? std::nullopt : std::optional(found->second);
    }

    /// With one index, where the words of indices begin at `first`.
    void readChain(Words words, std::size_t first) {
        if (words.size() != first + 1 || !builtins_.contains(words[3]) || !variables_.contains(words[3])) return;
        const auto pointee = pointees_.find(variables_.at(words[3]));
        if (pointee == pointees_.end()) return;
        const auto vector = vectors_.find(pointee->second);
        const auto index = constant(words[first]);
        if (vector == vectors_.end() || !index || *index >= vector->second.count) return;
        chains_[words[2]] = {words[3], pointee->second, vector->second.element, *index};
    }

    void noteUses(std::uint16_t opcode, Words words) {
        if (opcode == kLoad && chainOf(words) != nullptr) return;
        const auto* known = std::find_if(std::begin(kOperands), std::end(kOperands),
                                         [opcode](const Operands& each) { return each.opcode == opcode; });
        const std::size_t first = known == std::end(kOperands) ? 1 : known->first;
        const std::size_t end = std::min(words.size(), known == std::end(kOperands) ? words.size() : known->end);
        for (std::size_t i = first; i < end; ++i) {
            const auto found = chains_.find(words[i]);
            const bool isResult = i == 2 && isChain(opcode);
            if (found != chains_.end() && !isResult) found->second.otherwiseUsed = true;
        }
    }
};

/// Whether it makes, names or describes a pointer that nothing uses any more.
bool isLeftOut(const Reader& reader, std::uint16_t opcode, Words words) {
    const bool makes = isChain(opcode);
    const bool describes = opcode == kName || opcode == kDecorate;
    if ((!makes && !describes) || words.size() < 3) return false;
    const Chain* chain = reader.chain(words[makes ? 2 : 1]);
    return chain != nullptr && !chain->otherwiseUsed;
}

Bytes rewritten(Bytes spirv) {
    std::vector<std::uint32_t> words(spirv.size() / sizeof(std::uint32_t));
    std::memcpy(words.data(), spirv.data(), words.size() * sizeof(std::uint32_t));
    const Reader reader(words);
    if (reader.empty()) return spirv;
    std::vector<std::uint32_t> out(words.begin(), words.begin() + kHeaderWords);
    forEachInstruction(words, [&](std::uint16_t opcode, Words each) {
        if (isLeftOut(reader, opcode, each)) return;
        const Chain* chain = opcode == kLoad ? reader.chainOf(each) : nullptr;
        if (chain == nullptr) {
            out.insert(out.end(), each.begin(), each.end());
            return;
        }
        const std::uint32_t whole = out[kBoundWord]++;
        out.insert(out.end(), {head(kLoad, 4), chain->vectorType, whole, chain->variable});
        out.insert(out.end(), {head(kCompositeExtract, 5), each[1], each[2], whole, chain->index});
    });
    spirv.resize(out.size() * sizeof(std::uint32_t));
    std::memcpy(spirv.data(), out.data(), spirv.size());
    return spirv;
}

}  // namespace
}  // namespace builtins

Bytes withBuiltinsReadWhole(Bytes spirv) { return builtins::rewritten(std::move(spirv)); }

}  // namespace zetl::binary
