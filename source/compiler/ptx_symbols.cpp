#include "compiler/ptx_symbols.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace zetl::compiler {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kEndOfName = " \t\r\n([=;{";
constexpr std::array<std::string_view, 4> kOfTheDriver{"vprintf", "malloc", "free", "__assertfail"};

/// Takes the words of a declaration, one after the other. A bracket with what it holds is a word.
class Words {
  public:
    explicit Words(std::string_view text) : rest_(text) {}

    /// Empty at the end.
    std::string_view next() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
        const auto end = rest_.starts_with('(') ? rest_.find(')') : rest_.find_first_of(kEndOfName);
        const auto word = rest_.substr(0, rest_.starts_with('(') ? std::min(end, rest_.size() - 1) + 1 : end);
        rest_.remove_prefix(word.size());
        return word;
    }

  private:
    std::string_view rest_;
};

/// The first word that is no directive, no number of one, and no bracket.
std::string_view nameIn(Words words) {
    for (auto word = words.next(); !word.empty(); word = words.next())
        if (word[0] != '.' && word[0] != '(' && std::isdigit(static_cast<unsigned char>(word[0])) == 0) return word;
    return {};
}

/// The names of a linkage directive's functions or variables; local memory is none.
struct Declared {
    std::string_view kind;  ///< ".func", ".global" or ".const"
    std::string_view name;
};
std::optional<Declared> declaredBehind(std::string_view text) {
    Words words(text);
    const auto kind = words.next();
    if (kind != ".func" && kind != ".global" && kind != ".const") return std::nullopt;
    return Declared{kind, nameIn(words)};
}

template <class F>
void eachDeclared(std::string_view ptx, std::string_view linkage, F&& body) {
    for (std::size_t at = 0; (at = ptx.find(linkage, at)) != std::string_view::npos;) {
        at += linkage.size();
        if (const auto declared = declaredBehind(ptx.substr(at)); declared && !declared->name.empty()) body(*declared);
    }
}

}  // namespace

PtxSymbols symbolsOf(std::string_view ptx) {
    PtxSymbols symbols;
    const auto isExported = [&](const Declared& one) {
        (one.kind == ".func" ? symbols.functions : symbols.variables).emplace(one.name);
    };
    for (const std::string_view linkage : {".visible", ".weak", ".common"}) eachDeclared(ptx, linkage, isExported);
    eachDeclared(ptx, ".extern", [&](const Declared& one) {
        const bool known = std::ranges::find(kOfTheDriver, one.name) != kOfTheDriver.end();
        if (!known && !symbols.exports(one.name)) symbols.imports.emplace(one.name);
    });
    return symbols;
}

}  // namespace zetl::compiler
