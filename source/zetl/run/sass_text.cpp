#include "run/sass_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace zetl::command {
namespace {

constexpr std::string_view kSassSection = ".text.";
constexpr std::string_view kSassBreak = "//---";
constexpr std::size_t kLongestText = 200;  // of a text

std::string_view trimmedLine(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r";
    const auto first = text.find_first_not_of(kBlanks);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

/// What a terminal can show of another program's text.
std::string plainText(std::string_view text) {
    std::string result(text.substr(0, kLongestText));
    std::ranges::replace_if(
        result, [](char each) { return each < ' ' || each > '~'; }, '?');
    return result;
}

struct SassLine {
    std::uint32_t offset = 0;
    std::string_view text;
};

/// "/*00f0*/  @P0 BRA `(.L_x_1) ;"
std::optional<SassLine> sassInstructionIn(std::string_view line) {
    constexpr std::string_view kBegin = "/*";
    constexpr std::string_view kEnd = "*/";
    constexpr int kHexadecimal = 16;
    if (!line.starts_with(kBegin)) return std::nullopt;
    const auto end = line.find(kEnd);
    const auto stop = line.rfind(';');
    if (end == line.npos || stop == line.npos || stop < end) return std::nullopt;
    SassLine found;
    const auto* const last = line.data() + end;
    const auto read = std::from_chars(line.data() + kBegin.size(), last, found.offset, kHexadecimal);
    if (read.ec != std::errc() || read.ptr != last) return std::nullopt;
    const auto behind = end + kEnd.size();
    found.text = trimmedLine(line.substr(behind, stop - behind));
    return found.text.empty() ? std::nullopt : std::optional(found);
}

}  // namespace

SassTexts sassTextsIn(std::string_view listing) {
    SassTexts all;
    std::map<std::uint32_t, std::string>* texts = nullptr;
    while (!listing.empty()) {
        const auto end = std::min(listing.find('\n'), listing.size());
        const auto line = trimmedLine(listing.substr(0, end));
        listing.remove_prefix(std::min(end + 1, listing.size()));
        if (line.starts_with(kSassBreak)) {
            texts = nullptr;
        } else if (line.starts_with(kSassSection) && line.ends_with(':')) {
            texts = &all[std::string(line.substr(kSassSection.size(), line.size() - kSassSection.size() - 1))];
        } else if (const auto instruction = texts ? sassInstructionIn(line) : std::nullopt) {
            texts->try_emplace(instruction->offset, plainText(instruction->text));
        }
    }
    return all;
}

void describe(const SassTexts& texts, const std::string& kernel, std::span<correlation::Instruction> instructions) {
    const auto known = texts.find(kernel);
    if (known == texts.end()) return;
    for (auto& each : instructions)
        if (const auto text = known->second.find(each.offset); text != known->second.end()) each.text = text->second;
}

}  // namespace zetl::command
