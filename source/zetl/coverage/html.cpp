#include "coverage/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "page/html.h"

namespace zetl::command {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{0}</title><style>
body{{font-family:sans-serif}} table{{border-collapse:collapse}} td,th{{padding:0 .6em;text-align:right}}
td:first-child,th:first-child{{text-align:left}} pre{{margin:0}} .source td{{font-family:monospace}}
.source td:last-child{{text-align:left;white-space:pre}} .hit{{background:#dfd}} .missed{{background:#fdd}}
</style></head><body><h1>{0}</h1>
)";
constexpr std::string_view kFoot = "</body></html>\n";

void writePage(const fs::path& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw std::runtime_error(fmt::format("{}: the page cannot be written", path.native()));
}

std::vector<std::string> sourceLinesOf(const std::string& path) {
    std::vector<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
}

std::string shareCells(const CoveredShare& share) {
    if (share.found == 0) return "<td></td><td></td>";
    return fmt::format("<td>{:.1f} %</td><td>{} of {}</td>", share.percent(), share.hit, share.found);
}

/// "2 of 3" ways that were taken, of the branches of a line.
std::string waysText(const SourceCoverage& source, std::uint32_t line) {
    CoveredShare ways;
    for (auto each = source.branches.lower_bound({line, 0, 0});
         each != source.branches.end() && each->first.line == line; ++each) {
        ++ways.found;
        ways.hit += each->second.value_or(0) > 0 ? 1 : 0;
    }
    return ways.found == 0 ? std::string() : fmt::format("{} of {}", ways.hit, ways.found);
}

std::string sourcePage(const std::string& name, const SourceCoverage& source) {
    const std::vector<std::string> text = sourceLinesOf(name);
    std::string page = fmt::format(kHead, escaped(name));
    if (text.empty()) page += "<p>The source file cannot be read: only line numbers are shown.</p>\n";
    page += "<table class=\"source\"><tr><th>line</th><th>threads</th><th>ways taken</th><th></th></tr>\n";
    const std::uint32_t last = source.lines.empty() ? 0 : source.lines.rbegin()->first;
    const auto end = text.empty() ? last : static_cast<std::uint32_t>(text.size());
    for (std::uint32_t line = 1; line <= end; ++line) {
        const auto known = source.lines.find(line);
        if (text.empty() && known == source.lines.end()) continue;
        const bool counted = known != source.lines.end();
        page += fmt::format("<tr{}><td id=\"L{}\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                            !counted            ? ""
                            : known->second > 0 ? " class=\"hit\""
                                                : " class=\"missed\"",
                            line, line, counted ? std::to_string(known->second) : "", waysText(source, line),
                            text.empty() ? "" : escaped(text[line - 1]));
    }
    return page + "</table>\n" + std::string(kFoot);
}

}  // namespace

void writeCoveragePages(const fs::path& directory, const Sources& sources) {
    std::string index = fmt::format(kHead, "Coverage of kernels");
    index +=
        "<table><tr><th>source</th><th colspan=\"2\">lines</th><th colspan=\"2\">functions</th>"
        "<th colspan=\"2\">branches</th></tr>\n";
    std::size_t number = 0;
    for (const auto& [name, source] : sources) {
        const std::string page = fmt::format("{}.html", ++number);
        writePage(directory / page, sourcePage(name, source));
        Totals totals;
        totals.add(source);
        index += fmt::format("<tr><td><a href=\"{}\">{}</a></td>{}{}{}</tr>\n", page, escaped(name),
                             shareCells(totals.lines), shareCells(totals.functions), shareCells(totals.branches));
    }
    writePage(directory / "index.html", index + "</table>\n" + std::string(kFoot));
}

}  // namespace zetl::command
