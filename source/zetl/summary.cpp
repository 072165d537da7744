#include "summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace zetl::command {

void FunctionTotals::add(const Record& record, const Function& function) {
    ++calls;
    if (record.end == 0) {
        ++unfinished;
        return;
    }
    const auto begin = record.begin.load(std::memory_order_relaxed);
    const auto duration = record.end > begin ? record.end - begin : 0;
    errors += function.isError(record.result) ? 1 : 0;
    total += duration;
    shortest = std::min(shortest, duration);
    longest = std::max(longest, duration);
}

void FunctionTotals::add(const Overflow& overflow) {
    const auto beyond = overflow.calls.load();
    if (beyond == 0) return;
    calls += beyond;
    errors += overflow.errors.load();
    total += overflow.total.load();
    shortest = std::min(shortest, overflow.shortest.load());
    longest = std::max(longest, overflow.longest.load());
}

Summary::Summary(std::span<const RecordingFile> recordings) : functions_(kFunctions), processes_(recordings.size()) {
    std::set<std::pair<std::uint32_t, std::uint32_t>> threads;
    for (const auto& recording : recordings) {
        const auto& header = recording.header();
        recording.forEach([&](const Record& record) {
            threads.emplace(header.process, record.thread);
            if (record.function != kThreadName) functions_[record.function].add(record, functions()[record.function]);
        });
        const auto shortage = static_cast<std::size_t>(header.shortage.load()) % kShortages;  // the file may be damaged
        for (std::size_t i = 0; i < kFunctions; ++i) {
            functions_[i].add(header.overflow[i]);
            beyond_[shortage] += header.overflow[i].calls.load();
        }
    }
    threads_ = threads.size();
}

std::uint64_t Summary::calls() const {
    return std::accumulate(functions_.begin(), functions_.end(), std::uint64_t(0),
                           [](std::uint64_t sum, const FunctionTotals& each) { return sum + each.calls; });
}

bool Summary::initialised() const {
    for (std::size_t i = 0; i < kFunctions; ++i)
        if (functions()[i].name.starts_with("zeInit") &&
            functions_[i].calls > functions_[i].errors + functions_[i].unfinished)
            return true;
    return false;
}

std::string durationText(std::uint64_t nanoseconds) {
    struct Unit {
        double size;
        const char* name;
    };
    constexpr Unit kUnits[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}};
    const auto value = static_cast<double>(nanoseconds);
    for (const auto& unit : kUnits)
        if (value >= unit.size) {
            const auto scaled = value / unit.size;
            return fmt::format("{:.{}f} {}", scaled, scaled < 10 ? 2 : scaled < 100 ? 1 : 0, unit.name);
        }
    return fmt::format("{} ns", nanoseconds);
}

namespace {

std::string line(std::string_view name, const FunctionTotals& totals) {
    const bool anyReturned = totals.calls > totals.unfinished;
    const auto time = [&](std::uint64_t value) { return anyReturned ? durationText(value) : std::string("-"); };
    return fmt::format("{:<46} {:>9} {:>10} {:>10} {:>10} {:>10} {:>7}\n", name, totals.calls, time(totals.total),
                       time(totals.average()), time(totals.shortest), time(totals.longest), totals.errors);
}

std::string counted(std::uint64_t number, std::string_view noun, std::string_view plural = "s") {
    return fmt::format("{} {}{}", number, noun, number == 1 ? "" : plural);
}

/// By Shortage.
constexpr const char* kShortageTexts[kShortages] = {
    "not recorded", "beyond the recording's limit (--limit)", "beyond the size that files may have (ulimit -f)",
    "no room was left in the recording's directory (TMPDIR, --recording)"};

}  // namespace

std::string Summary::table() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < kFunctions; ++i)
        if (functions_[i].calls) order.push_back(i);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(functions_[a].total, b) > std::pair(functions_[b].total, a);
    });
    auto text = fmt::format("{:<46} {:>9} {:>10} {:>10} {:>10} {:>10} {:>7}\n", "function", "calls", "total", "average",
                            "min", "max", "errors");
    FunctionTotals sum;
    for (const auto i : order) {
        text += line(functions()[i].name, functions_[i]);
        sum.calls += functions_[i].calls;
        sum.unfinished += functions_[i].unfinished;
        sum.errors += functions_[i].errors;
        sum.total += functions_[i].total;
    }
    text += fmt::format("{} of {} by {} in {}, {} in Level Zero, {}\n", counted(sum.calls, "call"),
                        counted(order.size(), "function"), counted(threads_, "thread"),
                        counted(processes_, "process", "es"), durationText(sum.total), counted(sum.errors, "error"));
    if (sum.unfinished)
        text += fmt::format("{} had not returned when the process ended\n", counted(sum.unfinished, "call"));
    for (std::size_t i = 0; i < kShortages; ++i)
        if (beyond_[i])
            text += fmt::format("{}; counted here but not on the timeline: {}\n", kShortageTexts[i],
                                counted(beyond_[i], "call"));
    return text;
}

}  // namespace zetl::command
