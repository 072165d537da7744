#include "failure/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

namespace zetl::failure {
namespace {

struct Unit {
    std::string_view name;
    std::uint64_t factor;
};
constexpr Unit kTimes[] = {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
constexpr Unit kSizes[] = {{"", 1}, {"K", 1ull << 10}, {"M", 1ull << 20}, {"G", 1ull << 30}, {"T", 1ull << 40}};

/// A word that is an effect, and the units of the amount behind its colon.
struct EffectRow {
    std::string_view name;
    Effect effect;
    std::span<const Unit> units;  ///< none: it has no amount
    std::string_view form;
};
constexpr EffectRow kEffects[] = {
    {"device-lost", Effect::lost, {}, "device-lost"},
    {"device-lost-later", Effect::lostAfter, {}, "device-lost-later"},
    {"hang", Effect::hang, {}, "hang"},
    {"delay", Effect::delay, kTimes, "delay:20ms, with ns, us, ms or s"},
    {"limit", Effect::limit, kSizes, "limit:512M, with K, M, G or T"},
};

/// Nothing else but a number; nothing for larger ones than fit.
std::optional<std::uint64_t> wholeNumber(std::string_view text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end ? std::optional(number) : std::nullopt;
}

std::optional<std::uint64_t> numberFromOne(std::string_view text) {
    const auto number = wholeNumber(text);
    return number && *number > 0 ? number : std::nullopt;
}

std::optional<std::uint64_t> amountOf(std::string_view text, std::span<const Unit> units) {
    const auto digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = wholeNumber(text.substr(0, digits));
    const auto unit = std::ranges::find(units, text.substr(digits), &Unit::name);
    if (!number || unit == units.end() || *number > std::numeric_limits<std::uint64_t>::max() / unit->factor)
        return std::nullopt;
    return *number * unit->factor;
}

bool setChance(Rule& rule, std::string_view text) {
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, rule.chance);
    return read.ec == std::errc() && read.ptr == end && rule.chance >= 0 && rule.chance <= 1;
}

template <std::uint64_t Rule::*Member>
bool setFromOne(Rule& rule, std::string_view text) {
    const auto number = numberFromOne(text);
    rule.*Member = number.value_or(1);
    return number.has_value();
}

bool setSeed(Rule& rule, std::string_view text) {
    const auto number = wholeNumber(text);
    rule.seed = number.value_or(0);
    return number.has_value();
}

bool setSize(Rule& rule, std::string_view text) {
    const auto bytes = amountOf(text, kSizes);
    rule.leastSize = bytes.value_or(0);
    return bytes && *bytes > 0;
}

struct ConditionRow {
    std::string_view name;
    bool (*set)(Rule& rule, std::string_view text);
    std::string_view form;
};
constexpr ConditionRow kConditions[] = {
    {"every", setFromOne<&Rule::every>, "every=5, a number from 1"},
    {"chance", setChance, "chance=0.1, a number from 0 to 1"},
    {"seed", setSeed, "seed=7, a number from 0"},
    {"thread", setFromOne<&Rule::thread>, "thread=2, a number from 1"},
    {"size", setSize, "size=1M, at least so many bytes, with K, M, G or T"},
};

template <class Row, std::size_t N>
std::vector<std::string> namesOf(const Row (&rows)[N]) {
    std::vector<std::string> names;
    names.reserve(N);
    for (const Row& row : rows) names.emplace_back(row.name);
    return names;
}

/// "3", "3-" and "3-7".
bool setCalls(Rule& rule, std::string_view text) {
    const auto dash = std::min(text.find('-'), text.size());
    const auto first = numberFromOne(text.substr(0, dash));
    if (!first) return false;
    rule.first = *first;
    if (dash == text.size()) {
        rule.last = *first;
        return true;
    }
    if (dash + 1 == text.size()) return true;
    const auto last = numberFromOne(text.substr(dash + 1));
    rule.last = last.value_or(0);
    return last && *last >= *first;
}

std::optional<Refusal> setCondition(Rule& rule, std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) {
        if (setCalls(rule, text)) return std::nullopt;
        return Refusal{fmt::format("'{}' is no condition: write 3, 3-, 3-7, or one with '='", text), std::string(text),
                       namesOf(kConditions)};
    }
    const auto name = text.substr(0, equals);
    const auto* const row = std::ranges::find(kConditions, name, &ConditionRow::name);
    if (row == std::end(kConditions))
        return Refusal{fmt::format("there is no condition '{}'", name), std::string(name), namesOf(kConditions)};
    if (row->set(rule, text.substr(equals + 1))) return std::nullopt;
    return Refusal{fmt::format("'{}' is wrong: write {}", text, row->form), std::string(text), {}};
}

std::optional<Refusal> setEffect(Rule& rule, std::string_view text) {
    const auto colon = std::min(text.find(':'), text.size());
    const auto* const row = std::ranges::find(kEffects, text.substr(0, colon), &EffectRow::name);
    if (row != std::end(kEffects)) {
        rule.effect = row->effect;
        if (row->units.empty() && colon == text.size()) return std::nullopt;
        const auto amount = colon < text.size() ? amountOf(text.substr(colon + 1), row->units) : std::nullopt;
        rule.amount = amount.value_or(0);
        if (amount) return std::nullopt;
        return Refusal{fmt::format("'{}' is wrong: write {}", text, row->form), std::string(text), {}};
    }
    if (const auto code = codeNamed(text)) {
        rule.code = *code;
        return std::nullopt;
    }
    std::vector<std::string> known = namesOf(kEffects);
    std::ranges::move(codeNames(), std::back_inserter(known));
    return Refusal{fmt::format("'{}' is neither a result code nor an effect", text), std::string(text),
                   std::move(known)};
}

/// What the parts allow by themselves, but not together.
std::optional<Refusal> contradiction(const Rule& rule) {
    bool sized = false;
    bool allocates = false;
    for (std::size_t i = 0; i < ddi::kTraced; ++i)
        if (const auto* const row = rule.functions.test(i) ? sizedFunction(ddi::Function(i)) : nullptr) {
            sized = true;
            allocates = allocates || row->pointer != 0;
        }
    if (rule.leastSize > 0 && !sized)
        return Refusal{"'size' needs a function whose calls have a size", {}, sizedFunctionNames()};
    if (rule.effect == Effect::limit && !allocates)
        return Refusal{"'limit' needs a function that allocates memory", {}, functionNames()};
    return std::nullopt;
}

/// Different for neighbouring numbers (SplitMix64).
std::uint64_t mixed(std::uint64_t value) noexcept {
    value += 0x9e3779b97f4a7c15;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
    value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
    return value ^ (value >> 31);
}

}  // namespace

bool Rule::wants(std::uint64_t number) const noexcept {
    if (number < first || number > last || (number - first + (first == 1 ? 1 : every)) % every != 0) return false;
    if (chance >= 1) return true;
    constexpr double kSteps = 9007199254740992.0;  // 2^53, which a double holds exactly
    return static_cast<double>(mixed(mixed(seed) ^ number) >> 11) < chance * kSteps;
}

RuleOrRefusal ruleOf(std::string_view text) {
    const auto equals = text.rfind('=');
    if (equals == std::string_view::npos || equals == 0)
        return Refusal{fmt::format("'{}' is no rule: write FUNCTION[:CONDITION...]=EFFECT, such as "
                                   "zeMemAllocDevice:3=OUT_OF_DEVICE_MEMORY",
                                   text),
                       std::string(text),
                       {}};
    Rule rule;
    rule.text = text;
    std::string_view effect = text.substr(equals + 1);
    std::string_view left = text.substr(0, equals);
    const auto colon = std::min(left.find(':'), left.size());
    const std::string_view name = left.substr(0, colon);
    rule.functions = functionsNamed(name);
    if (rule.functions.none())
        return Refusal{fmt::format("there is no function or group '{}' that returns a code", name), std::string(name),
                       functionNames()};
    left.remove_prefix(std::min(colon + 1, left.size()));
    while (!left.empty()) {
        const auto end = std::min(left.find(':'), left.size());
        if (auto refusal = setCondition(rule, left.substr(0, end))) return *std::move(refusal);
        left.remove_prefix(std::min(end + 1, left.size()));
    }
    if (auto refusal = setEffect(rule, effect)) return *std::move(refusal);
    if (auto refusal = contradiction(rule)) return *std::move(refusal);
    return rule;
}

std::vector<RuleOrRefusal> rulesOf(std::string_view list) {
    std::vector<RuleOrRefusal> rules;
    while (!list.empty()) {
        const auto end = std::min(list.find(';'), list.size());
        if (end > 0) rules.push_back(ruleOf(list.substr(0, end)));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return rules;
}

}  // namespace zetl::failure
