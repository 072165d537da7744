#include "coverage/lcov.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>

#include "text/usage_error.h"

namespace zetl::command {
namespace {

/// Names come from a binary: nothing in them may end a line.
std::string oneLine(std::string text) {
    for (char& each : text)
        if (each == '\n' || each == '\r') each = ' ';
    return text;
}

/// Function names are keys in a trace file: those of one name get the line where they begin.
std::vector<CoveredFunction> distinctFunctions(const SourceCoverage& source) {
    std::map<std::string, std::size_t> named;
    for (const CoveredFunction& each : source.functions) ++named[each.name];
    std::vector<CoveredFunction> functions = source.functions;
    for (CoveredFunction& each : functions)
        if (named[each.name] > 1) each.name += fmt::format(":{}", each.first);
    std::ranges::sort(functions, {}, [](const CoveredFunction& each) { return std::pair(each.first, each.name); });
    return functions;
}

std::string recordOf(const std::string& test, const std::string& file, const SourceCoverage& source) {
    std::string text = fmt::format("TN:{}\nSF:{}\n", test, oneLine(file));
    const auto functions = distinctFunctions(source);
    for (const CoveredFunction& each : functions) text += fmt::format("FN:{},{}\n", each.first, oneLine(each.name));
    for (const CoveredFunction& each : functions) text += fmt::format("FNDA:{},{}\n", each.count, oneLine(each.name));
    Totals totals;
    totals.add(source);
    text += fmt::format("FNF:{}\nFNH:{}\n", totals.functions.found, totals.functions.hit);
    for (const auto& [place, count] : source.branches)
        text += fmt::format("BRDA:{},{},{},{}\n", place.line, place.block, place.number,
                            count ? std::to_string(*count) : "-");
    if (totals.branches.found > 0) text += fmt::format("BRF:{}\nBRH:{}\n", totals.branches.found, totals.branches.hit);
    for (const auto& [line, count] : source.lines) text += fmt::format("DA:{},{}\n", line, count);
    return text + fmt::format("LF:{}\nLH:{}\nend_of_record\n", totals.lines.found, totals.lines.hit);
}

template <class Number>
std::optional<Number> wholeNumber(std::string_view text) {
    Number number{};
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// The text up to the next comma, which is taken off `rest`.
std::string_view takeField(std::string_view& rest) {
    const auto comma = rest.find(',');
    const std::string_view first = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    return first;
}

class TraceFileReader {
  public:
    explicit TraceFileReader(std::vector<CoverageOfTest>& tests) : tests_(tests) {}

    /// Returns false if the line is damaged.
    bool line(std::string_view text) {
        if (text.empty() || text.starts_with('#')) return true;
        if (text == "end_of_record") return end();
        const auto colon = text.find(':');
        if (colon == std::string_view::npos) return false;
        const std::string_view kind = text.substr(0, colon);
        const std::string_view rest = text.substr(colon + 1);
        if (kind == "TN") {
            test_ = rest;
            return true;
        }
        if (kind == "SF") {
            file_ = rest;
            return !rest.empty();
        }
        if (file_.empty()) return false;
        if (kind == "DA") return lineCount(rest);
        if (kind == "FN") return function(rest);
        if (kind == "FNDA") return functionCount(rest);
        if (kind == "BRDA") return branch(rest);
        return std::ranges::all_of(kind, [](char each) { return std::isupper(static_cast<unsigned char>(each)) != 0; });
    }

    /// Whether the last record has ended.
    bool ended() const { return file_.empty(); }

  private:
    std::vector<CoverageOfTest>& tests_;
    std::string test_;
    std::string file_;
    SourceCoverage source_;

    bool lineCount(std::string_view rest) {
        const auto number = wholeNumber<std::uint32_t>(takeField(rest));
        const auto count = wholeNumber<std::uint64_t>(takeField(rest));
        if (number && count) source_.addLine(*number, *count);
        return number && count;
    }

    /// FN:first[,last],name
    bool function(std::string_view rest) {
        const auto first = wholeNumber<std::uint32_t>(takeField(rest));
        if (!first) return false;
        std::string_view behind = rest;
        const auto last = wholeNumber<std::uint32_t>(takeField(behind));
        const std::string_view name = last && !behind.empty() ? behind : rest;
        source_.functions.push_back({std::string(name), *first, last && !behind.empty() ? *last : *first, 0});
        return !name.empty();
    }

    bool functionCount(std::string_view rest) {
        const auto count = wholeNumber<std::uint64_t>(takeField(rest));
        const auto known = std::ranges::find(source_.functions, rest, &CoveredFunction::name);
        if (!count || known == source_.functions.end()) return false;
        addTo(known->count, *count);
        return true;
    }

    bool branch(std::string_view rest) {
        const auto number = wholeNumber<std::uint32_t>(takeField(rest));
        const auto block = wholeNumber<std::uint32_t>(takeField(rest));
        const auto way = wholeNumber<std::uint32_t>(takeField(rest));
        const auto count = wholeNumber<std::uint64_t>(rest);
        if (!number || !block || !way || (!count && rest != "-")) return false;
        source_.addBranch({*number, *block, *way}, count);
        return true;
    }

    bool end() {
        if (file_.empty()) return false;
        testOf(tests_, test_).sources[file_].addNamed(source_);
        file_.clear();
        source_ = {};
        return true;
    }
};

}  // namespace

std::string lcovText(const std::vector<CoverageOfTest>& tests) {
    std::string text;
    for (const CoverageOfTest& test : tests)
        for (const auto& [file, source] : test.sources) text += recordOf(test.name, file, source);
    return text;
}

void readLcov(std::string_view text, const std::string& name, std::vector<CoverageOfTest>& tests) {
    TraceFileReader reader(tests);
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (!reader.line(line))
            throw UsageError(
                fmt::format("--append: line {} of {} is not one of an LCOV trace file; name another file "
                            "with -o, or leave out --append",
                            number, name));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    }
    if (!reader.ended())
        throw UsageError(
            fmt::format("--append: {} is cut off; name another file with -o, or leave out --append", name));
}

CoverageOfTest& testOf(std::vector<CoverageOfTest>& tests, const std::string& name) {
    const auto found = std::ranges::find(tests, name, &CoverageOfTest::name);
    if (found != tests.end()) return *found;
    tests.push_back({name, {}});
    return tests.back();
}

std::string testName(const std::string& kernel) {
    std::string name = kernel;
    for (char& each : name)
        if (std::isalnum(static_cast<unsigned char>(each)) == 0) each = '_';
    return name;
}

}  // namespace zetl::command
