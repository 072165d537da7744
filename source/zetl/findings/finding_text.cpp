#include "findings/finding_text.h"

#include <fmt/format.h>

#include <vector>

#include "findings/gathered.h"
#include "text/terminal.h"
#include "timeline/source_lines.h"

namespace zetl::command {
namespace {

constexpr std::size_t kNameInReport = 60;  ///< characters; files for programs have all of a name

std::string sideText(const check::Side& side) {
    if (!side.command.empty()) return fmt::format("{} by {}", nameOf(side.access), side.command);
    const auto& group = side.group;
    std::string text = fmt::format("{} by thread {} of group ({},{},{})", nameOf(side.access), side.thread, group[0],
                                   group[1], group[2]);
    if (side.item) text += fmt::format(", work-item ({},{},{})", (*side.item)[0], (*side.item)[1], (*side.item)[2]);
    return text + fmt::format("; kernel {}, {}", cutInMiddle(side.kernel, kNameInReport), placeOf(side)) +
           (side.source.empty() ? std::string() : fmt::format(" ({:#x})", side.ip));
}

std::string objectText(const check::Object& object) {
    const std::string argument = object.argument.empty() ? std::string() : ", " + object.argument;
    if (object.kind == "image")
        return fmt::format("image of {} bytes at {:#x}{}", object.bytes, object.begin, argument);
    if (object.begin == 0) return fmt::format("offset {} of {} of {} bytes", object.offset, object.kind, object.bytes);
    return fmt::format("offset {} of {} memory of {} bytes at {:#x}{}", object.offset, object.kind, object.bytes,
                       object.begin, argument);
}

std::string callText(const check::Call& call) {
    const std::string name = call.threadName.empty() ? std::string() : fmt::format(" ({})", call.threadName);
    return fmt::format("{} in thread {}{}{}{}", call.function, call.thread, name, call.from.empty() ? "" : ", at ",
                       call.from);
}

std::string upper(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return result;
}

void addCount(std::vector<std::string>& parts, std::size_t count, const char* what) {
    if (count > 0) parts.push_back(fmt::format("{} {}{}", count, what, count == 1 ? "" : "s"));
}

}  // namespace

std::string blockOf(const check::Finding& finding) {
    const check::KindInfo& info = check::infoOf(finding.kind);
    std::vector<std::string> lines{
        fmt::format("{} {}: {}", upper(check::nameOf(check::levelOf(finding))), info.name, finding.message)};
    const bool pair = finding.sides.size() == 2;
    for (std::size_t i = 0; i < finding.sides.size(); ++i) {
        lines.push_back(fmt::format(
            "    {}{}", pair ? (i == 0 ? "one side: " : "other side: ") : "at: ", sideText(finding.sides[i])));
        for (const std::string& place : finding.sides[i].inlinedAt) lines.push_back("        inlined at " + place);
    }
    if (finding.address != 0 && finding.bytes != 0)
        lines.push_back(fmt::format("    address: {:#x}, {} bytes", finding.address, finding.bytes));
    if (finding.object) lines.push_back("    memory: " + objectText(*finding.object));
    if (finding.object && !finding.object->made.empty()) lines.push_back("    made at: " + finding.object->made);
    if (finding.object && finding.object->freed) lines.push_back("    freed by: " + callText(*finding.object->freed));
    for (const std::string& wait : finding.chain) lines.push_back("    waits: " + wait);
    if (finding.count > 1) lines.push_back(fmt::format("    seen: {} times; the first is shown", finding.count));
    if (finding.schedules)
        lines.push_back(fmt::format("    schedule: --schedule {} repeats it; seen under {} schedule{}",
                                    finding.schedules->first, finding.schedules->seen,
                                    finding.schedules->seen == 1 ? "" : "s"));
    if (!finding.hint.empty()) lines.push_back("    hint: " + finding.hint);
    std::string text;
    for (std::string& line : lines) text += kPrefix + printable(std::move(line)) + '\n';
    return text + "=========\n";
}

Table findingTable(std::span<const check::Finding> findings) {
    Table table{{"level", "kind", "message", "where", "times"}, {}};
    for (const check::Finding& finding : findings) {
        const check::KindInfo& info = check::infoOf(finding.kind);
        std::string where;
        if (!finding.sides.empty()) {
            const check::Side& side = finding.sides.front();
            where = side.command.empty() ? fmt::format("{}, {}", side.kernel, placeOf(side)) : side.command;
        }
        table.rows.push_back(
            {check::nameOf(check::levelOf(finding)), info.name, finding.message, where, finding.count});
    }
    return table;
}

std::string countsText(std::size_t errors, std::size_t warnings, std::size_t infos) {
    std::vector<std::string> parts;
    addCount(parts, errors, "error");
    addCount(parts, warnings, "warning");
    addCount(parts, infos, "remark");
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text.empty() ? "no mistakes" : text;
}

}  // namespace zetl::command
