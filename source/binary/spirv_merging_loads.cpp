#include "binary/spirv_merging_loads.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "binary/spirv_words.h"

namespace zetl::binary {
namespace spirv::merging_loads {
namespace {

constexpr Word kLinkage = 41;
constexpr std::string_view kPrefix = "llvm.genx.lsc.load.";
constexpr std::string_view kMerge = "merge.";

/// The plain load's name, if these words (up to the kind of linkage) are that of a merging load.
std::optional<std::string> plainName(Words literal) {
    std::string name(literal.size_bytes(), '\0');
    std::memcpy(name.data(), literal.data(), name.size());
    name.resize(std::min(name.find('\0'), name.size()));
    if (!name.starts_with(kPrefix) || !std::string_view(name).substr(kPrefix.size()).starts_with(kMerge))
        return std::nullopt;
    return name.erase(kPrefix.size(), kMerge.size());
}

/// The functions to be replaced: imported loads that all calls merge into something undefined.
class Loads {
  public:
    Loads(Words words, Rewriting& out) : out_(out) {
        forEachInstruction(words, [this](std::uint16_t opcode, Words each) { declare(opcode, each); });
        forEachInstruction(words, [this](std::uint16_t opcode, Words each) {
            if (opcode == kCall && each.size() > 4 && names_.contains(each[3]) && !undefined_.contains(each.back()))
                names_.erase(each[3]);
        });
        std::erase_if(names_, [this](const auto& each) { return !typeOf_.contains(each.first); });
        for (const auto& [function, name] : names_) addType(typeOf_.at(function));
    }
    bool empty() const { return names_.empty(); }
    const std::string* name(Word function) const {
        const auto found = names_.find(function);
        return found == names_.end() ? nullptr : &found->second;
    }
    /// Of the plain load.
    Word typeOf(Word function) const { return shorter_.at(typeOf_.at(function)); }
    std::size_t parametersOf(Word function) const { return types_.at(typeOf_.at(function)).size() - 2; }
    void declareNewTypes() const {
        for (const Word type : newTypes_) {
            std::vector<Word> operands{type};
            operands.insert(operands.end(), types_.at(type).begin(), types_.at(type).end());
            out_.add(kTypeFunction, operands);
        }
    }

  private:
    Rewriting& out_;
    std::map<Word, std::string> names_;
    std::map<Word, Word> typeOf_;              ///< of those functions
    std::map<Word, std::vector<Word>> types_;  ///< results and parameters of function types
    std::map<Word, Word> shorter_;             ///< function type to the same with a parameter less
    std::set<Word> undefined_;
    std::vector<Word> newTypes_;

    void declare(std::uint16_t opcode, Words each) {
        if (opcode == kUndef && each.size() == 3) undefined_.insert(each[2]);
        if (opcode == kTypeFunction && each.size() > 2) types_[each[1]] = {each.begin() + 2, each.end()};
        if (opcode == kDecorate && each.size() > 4 && each[2] == kLinkage)
            if (auto name = plainName(each.subspan(3, each.size() - 4))) names_[each[1]] = *std::move(name);
        if (opcode == kFunction && each.size() == 5 && names_.contains(each[2])) {
            const auto type = types_.find(each[4]);
            if (type != types_.end() && type->second.size() > 2) typeOf_[each[2]] = each[4];
        }
    }
    void addType(Word type) {
        if (shorter_.contains(type)) return;
        std::vector<Word> wanted = types_.at(type);
        wanted.pop_back();
        const auto same = std::find_if(types_.begin(), types_.end(), [&](auto& each) { return each.second == wanted; });
        shorter_[type] = same != types_.end() ? same->first : newTypes_.emplace_back(out_.newId());
        if (same == types_.end()) types_[newTypes_.back()] = std::move(wanted);
    }
};

/// Writes the module anew, instruction by instruction.
class Writer {
  public:
    Writer(const Loads& loads, Words words, Rewriting& out) : loads_(loads), out_(out) {
        forEachInstruction(words, [this](std::uint16_t opcode, Words each) { write(opcode, each); });
    }

  private:
    const Loads& loads_;
    Rewriting& out_;
    bool declared_ = false;
    std::size_t parametersLeft_ = 0;  ///< of a plain load that is being declared, plus the one that it lacks

    void write(std::uint16_t opcode, Words each) {
        if (opcode == kFunction && !std::exchange(declared_, true)) loads_.declareNewTypes();
        const std::size_t function = opcode == kFunction ? 2 : opcode == kCall ? 3 : 1;
        const std::string* name = each.size() > function ? loads_.name(each[function]) : nullptr;
        if (opcode == kParameter && parametersLeft_ != 0 && --parametersLeft_ == 0) return;
        if (opcode == kFunctionEnd) parametersLeft_ = 0;
        if (name == nullptr) return out_.keep(each);
        switch (opcode) {
            case kName:
                return;
            case kDecorate:
                return each.size() > 4 && each[2] == kLinkage ? writeLinkage(*name, each) : out_.keep(each);
            case kFunction:
                if (each.size() != 5) return out_.keep(each);
                out_.add(kFunction, {each[1], each[2], each[3], loads_.typeOf(each[2])});
                parametersLeft_ = loads_.parametersOf(each[2]) + 1;
                return;
            case kCall:
                return out_.add(kCall, each.subspan(1, each.size() - 2));
            default:
                return out_.keep(each);
        }
    }
    void writeLinkage(const std::string& name, Words each) {
        std::vector<Word> operands(2 + name.size() / sizeof(Word) + 1);
        operands[0] = each[1];
        operands[1] = kLinkage;
        std::memcpy(&operands[2], name.data(), name.size());
        operands.push_back(each.back());
        out_.add(kDecorate, operands);
    }
};

Bytes rewritten(Bytes module) {
    const std::vector<Word> words = wordsOf(module);
    Rewriting out(words);
    const Loads loads(words, out);
    if (loads.empty()) return module;
    const Writer writer(loads, words, out);
    return out.bytes();
}

}  // namespace
}  // namespace spirv::merging_loads

Bytes withPlainLoads(Bytes module) { return spirv::merging_loads::rewritten(std::move(module)); }

}  // namespace zetl::binary
