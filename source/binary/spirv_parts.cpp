#include "binary/spirv_parts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "binary/spirv_words.h"

namespace zetl::binary {
namespace spirv::parts {
namespace {

// Starting a compiler takes as long as building some 16 Ki words.
constexpr std::size_t kWordsOfPart = 32 << 10;

constexpr Word kCrossWorkgroup = 5;  // a storage class
constexpr Word kBuiltIn = 11;        // decorations
constexpr Word kLinkageAttributes = 41;
constexpr Word kExport = 0;  // a kind of linkage

class Ids {
  public:
    explicit Ids(Word bound) : has_(bound) {}
    void add(Word id) {
        if (id < has_.size()) has_[id] = true;
    }
    void add(Words words) {
        for (const Word word : words) add(word);
    }
    bool contains(Word id) const { return id < has_.size() && has_[id]; }

  private:
    std::vector<bool> has_;
};

/// Instructions that say something of the id in their first word.
bool isRemark(std::uint16_t opcode) {
    constexpr std::uint16_t kRemarks[] = {
        kName,           kMemberName,           kDecorate,      kMemberDecorate, kDecorateId,
        kDecorateString, kMemberDecorateString, kExecutionMode, kExecutionModeId};
    return std::ranges::find(kRemarks, opcode) != std::end(kRemarks);
}

/// What ties kernels to each other or to more than their code.
bool tiesKernels(std::uint16_t opcode, Words each) {
    if (opcode == kExtendedImport && each.size() > 2) {
        const std::string_view name(reinterpret_cast<const char*>(each.data() + 2), (each.size() - 2) * sizeof(Word));
        return !name.starts_with("OpenCL.std");
    }
    return opcode == kDecorationGroup || opcode == kFunctionPointer;
}

/// The id that an instruction may define. Others have an operand there, which is defined elsewhere.
std::optional<Word> resultOf(std::uint16_t opcode, Words each) {
    constexpr std::uint16_t kWithNumbers[] = {kLine, kSelectionMerge, kLifetimeStart, kLifetimeStop};
    constexpr std::uint16_t kFirstType = 19;
    constexpr std::uint16_t kLastType = 39;
    const bool atFront = opcode == kLabel || opcode == kExtendedImport || opcode == kString ||
                         (opcode >= kFirstType && opcode <= kLastType);
    if (atFront) return each.size() > 1 ? std::optional(each[1]) : std::nullopt;
    if (each.size() <= 2 || std::ranges::find(kWithNumbers, opcode) != std::end(kWithNumbers)) return std::nullopt;
    return each[2];
}

struct Function {
    Words instructions;
    std::vector<Word> calls;
};

/// A module taken apart.
class Module {
  public:
    explicit Module(Words words) : words_(words), exported_(bound()), builtIn_(bound()) {
        Function* current = nullptr;
        std::size_t at = kHeaderWords;
        forEachInstruction(words, [&](std::uint16_t opcode, Words each) {
            if (opcode == kFunction && each.size() > 2) {
                current = &functions_[each[2]];
                current->instructions = words.subspan(at);
            }
            at += each.size();
            if (current == nullptr)
                read(opcode, each);
            else if (opcode == kCall && each.size() > 3)
                current->calls.push_back(each[3]);
            if (current != nullptr && opcode == kFunctionEnd) {
                current->instructions = current->instructions.first(at - (current->instructions.data() - words.data()));
                current = nullptr;
            }
        });
    }

    bool isSeparable() const {
        if (tied_ || bound() > words_.size()) return false;
        Ids reached(bound());
        for (const Words entry : entries_) reach(entry[2], reached);
        const auto forOthers = [&](const auto& f) { return exported_.contains(f.first) && !reached.contains(f.first); };
        const auto isShared = [&](Words variable) {
            return exported_.contains(variable[2]) ||
                   (variable[3] == kCrossWorkgroup && !builtIn_.contains(variable[2]));
        };
        return std::ranges::none_of(functions_, forOthers) && std::ranges::none_of(variables_, isShared);
    }

    /// Kernels in their order, so many in each part that it takes a while to build.
    std::vector<Bytes> parts() const {
        std::vector<Bytes> parts;
        for (std::size_t from = 0; from < entries_.size();) {
            Ids kept(bound());
            std::size_t size = 0;
            std::size_t to = from;
            while (to < entries_.size() && size < kWordsOfPart) size += reach(entries_[to++][2], kept);
            if (from == 0 && to == entries_.size()) return {};
            parts.push_back(part(std::span(entries_).subspan(from, to - from), kept));
            from = to;
        }
        return parts;
    }

  private:
    Words words_;
    std::map<Word, Function> functions_;
    std::vector<Words> entries_;
    std::vector<Words> variables_;
    Ids exported_;
    Ids builtIn_;
    bool tied_ = false;

    Word bound() const { return std::min<Word>(words_[kBoundWord], static_cast<Word>(words_.size() + 1)); }

    /// An instruction outside of functions.
    void read(std::uint16_t opcode, Words each) {
        tied_ = tied_ || tiesKernels(opcode, each);
        if (opcode == kEntryPoint && each.size() > 2) entries_.push_back(each);
        if (opcode == kVariable && each.size() > 3) variables_.push_back(each);
        if (opcode != kDecorate || each.size() <= 2) return;
        if (each[2] == kBuiltIn) builtIn_.add(each[1]);
        if (each[2] == kLinkageAttributes && each.back() == kExport) exported_.add(each[1]);
    }

    /// Adds a function and those that it calls; returns how many words these are, if they are new.
    std::size_t reach(Word entry, Ids& reached) const {
        std::size_t size = 0;
        std::vector<Word> open{entry};
        while (!open.empty()) {
            const Word id = open.back();
            open.pop_back();
            const auto function = functions_.find(id);
            if (function == functions_.end() || reached.contains(id)) continue;
            reached.add(id);
            size += function->second.instructions.size();
            open.insert(open.end(), function->second.calls.begin(), function->second.calls.end());
        }
        return size;
    }

    Bytes part(std::span<const Words> entries, const Ids& kept) const {
        const Ids used = usedBy(entries, kept);
        const Ids lost = lostWithout(kept, used);
        const auto isKept = [&](std::uint16_t opcode, Words each) {
            if (opcode == kEntryPoint) return std::ranges::count(entries, each.data(), &Words::data) != 0;
            if (isRemark(opcode)) return each.size() < 2 || !lost.contains(each[1]);
            return opcode != kVariable || each.size() < 3 || used.contains(each[2]);
        };
        Rewriting out(words_);
        bool inFunction = false;
        bool keeps = false;
        forEachInstruction(words_, [&](std::uint16_t opcode, Words each) {
            if (opcode == kFunction && each.size() > 2) {
                inFunction = true;
                keeps = kept.contains(each[2]);
            }
            if (inFunction ? keeps : isKept(opcode, each)) out.keep(each);
            inFunction = inFunction && opcode != kFunctionEnd;
        });
        return out.bytes();
    }

    template <class F>
    void forEachOutside(F&& visit) const {
        bool inside = false;
        forEachInstruction(words_, [&](std::uint16_t opcode, Words each) {
            inside = inside || opcode == kFunction;
            if (!inside) visit(opcode, each);
            inside = inside && opcode != kFunctionEnd;
        });
    }

    /// Words that may name a variable.
    Ids usedBy(std::span<const Words> entries, const Ids& kept) const {
        Ids used(bound());
        for (const Words entry : entries) used.add(entry);
        for (const auto& [id, function] : functions_)
            if (kept.contains(id)) used.add(function.instructions);
        forEachOutside([&](std::uint16_t opcode, Words each) {
            const bool names = opcode != kEntryPoint && opcode != kVariable && !isRemark(opcode);
            if (names) used.add(each);
            if (opcode == kVariable) used.add(each.subspan(std::min<std::size_t>(each.size(), 3)));
        });
        return used;
    }

    /// Ids that are defined only in what the part lacks.
    Ids lostWithout(const Ids& kept, const Ids& used) const {
        Ids defined(bound());
        Ids elsewhere(bound());
        forEachOutside([&](std::uint16_t opcode, Words each) {
            if (isRemark(opcode) || opcode == kEntryPoint) return;
            const auto id = resultOf(opcode, each);
            if (id) (opcode != kVariable || used.contains(*id) ? defined : elsewhere).add(*id);
        });
        for (const auto& [id, function] : functions_) {
            Ids& in = kept.contains(id) ? defined : elsewhere;
            forEachOf(function.instructions, [&](std::uint16_t opcode, Words each) {
                if (const auto result = resultOf(opcode, each)) in.add(*result);
            });
        }
        Ids lost(bound());
        for (Word id = 0; id < bound(); ++id)
            if (elsewhere.contains(id) && !defined.contains(id)) lost.add(id);
        return lost;
    }
};

}  // namespace
}  // namespace spirv::parts

std::vector<Bytes> partsOf(const Bytes& bytes) {
    const std::vector<spirv::Word> words = spirv::wordsOf(bytes);
    const spirv::parts::Module module(words);
    return module.isSeparable() ? module.parts() : std::vector<Bytes>();
}

}  // namespace zetl::binary
