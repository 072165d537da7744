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
namespace merging_loads {
namespace {

using Word = std::uint32_t;
using spirv::forEachInstruction;
using spirv::head;
using spirv::kBoundWord;
using spirv::kHeaderWords;
using spirv::Words;

enum Opcode : std::uint16_t {
    kUndef = 1,
    kName = 5,
    kTypeFunction = 33,
    kFunction = 54,
    kParameter = 55,
    kFunctionEnd = 56,
    kCall = 57,
    kDecorate = 71,
};
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
    explicit Loads(Words words) : bound_(words[kBoundWord]) {
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
    /// What has to be declared, and how many ids there are then.
    const std::vector<Word>& newTypes() const { return newTypes_; }
    Word bound() const { return bound_; }

  private:
    Word bound_;
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
        shorter_[type] = same != types_.end() ? same->first : bound_;
        if (same != types_.end()) return;
        newTypes_.insert(newTypes_.end(), {head(kTypeFunction, wanted.size() + 2), bound_});
        newTypes_.insert(newTypes_.end(), wanted.begin(), wanted.end());
        types_[bound_++] = std::move(wanted);
    }
};

void append(std::vector<Word>& out, Words words) { out.insert(out.end(), words.begin(), words.end()); }

/// Writes the module anew, instruction by instruction.
class Writer {
  public:
    Writer(const Loads& loads, Words words) : loads_(loads), out_(words.begin(), words.begin() + kHeaderWords) {
        out_[kBoundWord] = loads.bound();
        forEachInstruction(words, [this](std::uint16_t opcode, Words each) { write(opcode, each); });
    }
    Words words() const { return out_; }

  private:
    const Loads& loads_;
    std::vector<Word> out_;
    bool declared_ = false;
    std::size_t parametersLeft_ = 0;  ///< of a plain load that is being declared, plus the one that it lacks

    void write(std::uint16_t opcode, Words each) {
        if (opcode == kFunction && !std::exchange(declared_, true)) append(out_, loads_.newTypes());
        const std::size_t function = opcode == kFunction ? 2 : opcode == kCall ? 3 : 1;
        const std::string* name = each.size() > function ? loads_.name(each[function]) : nullptr;
        if (opcode == kParameter && parametersLeft_ != 0 && --parametersLeft_ == 0) return;
        if (opcode == kFunctionEnd) parametersLeft_ = 0;
        if (name == nullptr) return append(out_, each);
        switch (opcode) {
            case kName:
                return;
            case kDecorate:
                return each.size() > 4 && each[2] == kLinkage ? writeLinkage(*name, each) : append(out_, each);
            case kFunction:
                append(out_, each.first(4));
                out_.push_back(loads_.typeOf(each[2]));
                parametersLeft_ = loads_.parametersOf(each[2]) + 1;
                return;
            case kCall:
                out_.push_back(head(kCall, each.size() - 1));
                return append(out_, each.subspan(1, each.size() - 2));
            default:
                return append(out_, each);
        }
    }
    void writeLinkage(const std::string& name, Words each) {
        std::vector<Word> literal(name.size() / sizeof(Word) + 1);
        std::memcpy(literal.data(), name.data(), name.size());
        out_.insert(out_.end(), {head(kDecorate, literal.size() + 4), each[1], kLinkage});
        append(out_, literal);
        out_.push_back(each.back());
    }
};

Bytes rewritten(Bytes module) {
    const std::vector<Word> words = spirv::wordsOf(module);
    const Loads loads(words);
    if (loads.empty()) return module;
    return spirv::bytesOf(Writer(loads, words).words());
}

}  // namespace
}  // namespace merging_loads

Bytes withPlainLoads(Bytes module) { return merging_loads::rewritten(std::move(module)); }

}  // namespace zetl::binary
