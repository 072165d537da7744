#include "findings/suppressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>

#include "files/file_content.h"
#include "findings/gathered.h"
#include "text/blanks.h"
#include "text/patterns.h"
#include "text/usage_error.h"
#include "timeline/source_lines.h"

namespace zetl::command {
namespace {

/// "file:line" taken apart; line 0 if there is none.
std::pair<std::string, std::uint32_t> pathAndLine(const std::string& source) {
    const auto colon = source.rfind(':');
    std::uint32_t line = 0;
    if (colon == std::string::npos) return {source, line};
    const auto [end, failure] = std::from_chars(source.data() + colon + 1, source.data() + source.size(), line);
    if (failure != std::errc() || end != source.data() + source.size()) return {source, 0};
    return {source.substr(0, colon), line};
}

bool matchesFile(const std::string& pattern, const std::string& file) {
    if (pattern.find('/') != std::string::npos) return Patterns::matches(pattern, file);
    return Patterns::matches(pattern, file.substr(file.rfind('/') + 1));
}

bool number(std::string_view text, std::uint32_t& value) {
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failure == std::errc() && end == text.data() + text.size() && value > 0;
}

/// "file", "file:12" or "file:12-20". False if the lines are not numbers in order.
bool setSource(Suppression& one, const std::string& text) {
    const auto colon = text.rfind(':');
    one.file = text.substr(0, colon);
    if (colon == std::string::npos) return true;
    const std::string lines = text.substr(colon + 1);
    const auto dash = lines.find('-');
    if (!number(std::string_view(lines).substr(0, dash), one.firstLine)) return false;
    one.lastLine = one.firstLine;
    if (dash != std::string::npos && !number(std::string_view(lines).substr(dash + 1), one.lastLine)) return false;
    return one.firstLine <= one.lastLine;
}

bool setField(Suppression& one, std::string_view name, std::string value) {
    if (name == "source") return setSource(one, value);
    if (name == "name")
        one.name = std::move(value);
    else if (name == "kind")
        one.kind = std::move(value);
    else if (name == "kernel")
        one.kernel = std::move(value);
    else
        return false;
    return true;
}

}  // namespace

bool Suppression::matches(const check::Finding& finding) const {
    if (!kind.empty() && !Patterns::matches(kind, std::string(check::infoOf(finding.kind).name))) return false;
    if (kernel.empty() && file.empty()) return true;
    return std::ranges::any_of(finding.sides, [this](const check::Side& side) {
        if (!kernel.empty() && !Patterns::matches(kernel, side.kernel)) return false;
        if (file.empty()) return true;
        const auto [name, line] = pathAndLine(side.source);
        return matchesFile(file, name) && (lastLine == 0 || (firstLine <= line && line <= lastLine));
    });
}

void Suppressions::add(const std::string& path) {
    const auto content = contentOf(path);
    if (!content) throw UsageError(fmt::format("--suppressions {}: the file cannot be read", path));
    std::istringstream text(*content);
    std::size_t at = 0;
    bool open = false;
    for (std::string line; std::getline(text, line);) {
        ++at;
        const std::string_view words = withoutBlanks(line);
        if (words.empty() || words.front() == '#') continue;
        if (words == "{" && !open) {
            open = true;
            each_.emplace_back();
            each_.back().name = fmt::format("{}:{}", path, at);
            continue;
        }
        if (words == "}" && open) {
            open = false;
            continue;
        }
        const auto colon = words.find(':');
        if (!open || colon == std::string_view::npos ||
            !setField(each_.back(), words.substr(0, colon), std::string(withoutBlanks(words.substr(colon + 1)))))
            throw UsageError(
                fmt::format("--suppressions {}:{}: {}: write a line {{, then lines with name:, kind:, "
                            "kernel: or source: FILE:FIRST-LAST, then a line }}",
                            path, at, printable(std::string(words))));
    }
    if (open) throw UsageError(fmt::format("--suppressions {}: the last block has no }}", path));
}

bool Suppressions::suppress(const check::Finding& finding) {
    const auto found = std::ranges::find_if(each_, [&](const Suppression& one) { return one.matches(finding); });
    if (found == each_.end()) return false;
    ++found->used;
    return true;
}

std::vector<std::string> Suppressions::unused() const {
    std::vector<std::string> names;
    for (const Suppression& one : each_)
        if (one.used == 0) names.push_back(one.name);
    return names;
}

std::string suppressionOf(const check::Finding& finding) {
    std::string text =
        fmt::format("{{\n  name: {}\n  kind: {}\n", fingerprint(finding), check::infoOf(finding.kind).name);
    if (!finding.sides.empty()) {
        const check::Side& side = finding.sides.front();
        if (!side.kernel.empty()) text += fmt::format("  kernel: {}\n", printable(side.kernel));
        if (!side.source.empty()) text += fmt::format("  source: {}\n", printable(side.source));
    }
    return text + "}\n";
}

}  // namespace zetl::command
