#include "core/code_flow.h"

#include <algorithm>
#include <optional>

#include "instrumentation/xe/branch.h"

namespace zetl::debugger {
namespace {

using instrumentation::ByteRange;

constexpr std::uint32_t kFirstBlock = 0;  // in which threads start

bool meets(ByteRange one, ByteRange other) {
    return one.start < other.start + other.count && other.start < one.start + one.count;
}
bool meetsAny(const std::vector<ByteRange>& ranges, ByteRange bytes) {
    return std::ranges::any_of(ranges, [&](ByteRange each) { return meets(each, bytes); });
}
bool holds(const std::vector<ByteRange>& ranges, ByteRange bytes) {
    return std::ranges::any_of(ranges, [&](ByteRange each) {
        return each.start <= bytes.start && bytes.start + bytes.count <= each.start + each.count;
    });
}

}  // namespace

CodeFlow::CodeFlow(const isa::xe::Architecture& architecture, std::span<const std::uint8_t> bytes)
    : code_(architecture, bytes), graph_(code_, {.kernel = {0}, .functions = {}}) {
    uses_.reserve(code_.instructions().size());
    for (const auto& each : code_.instructions()) uses_.push_back(instrumentation::useOf(each));
    connect();
}

void CodeFlow::connect() {
    const auto& blocks = graph_.blocks();
    before_.resize(blocks.size());
    after_.resize(blocks.size());
    for (std::uint32_t i = 0; i < blocks.size(); ++i) {
        const auto& last = instruction(blocks[i].end - 1);
        const auto branch =
            instrumentation::endsBlock(last) ? instrumentation::branchOf(last) : instrumentation::Branch();
        if (branch.returns) continue;
        after_[i] = blocks[i].successors;
        if (branch.calls && !branch.external && i + 1 < blocks.size()) after_[i].push_back(i + 1);
        for (const auto next : after_[i]) before_[next].push_back(i);
    }
}

bool CodeFlow::reads(std::uint32_t number, ByteRange bytes) const { return meetsAny(uses_[number].reads, bytes); }

bool CodeFlow::writes(std::uint32_t number, ByteRange bytes) const { return meetsAny(uses_[number].touches, bytes); }

/// What an answered message does not fill holds nothing of interest.
bool CodeFlow::mayReplace(std::uint32_t number, ByteRange bytes) const {
    const auto& use = uses_[number];
    const auto& one = instruction(number);
    const bool isMessage = isa::xe::isSend(one.opcode) && !one.message.descriptorInRegister;
    return holds(isMessage ? use.touches : use.writes, bytes);
}

bool CodeFlow::surelyWrites(std::uint32_t number, ByteRange bytes) const {
    return uses_[number].coverage != instrumentation::Coverage::some && mayReplace(number, bytes);
}

bool CodeFlow::tellsApart(std::uint32_t reader, std::uint32_t writer, ByteRange bytes) const {
    constexpr auto kSome = instrumentation::Coverage::some;
    return !reads(reader, bytes) || (uses_[reader].coverage == kSome && uses_[writer].coverage == kSome);
}

std::vector<std::uint32_t> CodeFlow::writersIn(std::uint64_t begin, std::uint64_t end, ByteRange bytes) const {
    std::vector<std::uint32_t> writers;
    const auto all = code_.instructions();
    for (std::uint32_t i = 0; i < all.size(); ++i)
        if (all[i].ip >= begin && all[i].ip < end && writes(i, bytes)) writers.push_back(i);
    return writers;
}

void CodeFlow::addCalled(std::uint32_t call, ByteRange bytes, std::vector<bool>& seen,
                         std::vector<std::uint32_t>& writers) const {
    std::vector<std::uint32_t> open = graph_.blocks()[graph_.blockOf(call)].successors;
    while (!open.empty()) {
        const auto number = open.back();
        open.pop_back();
        if (seen[number]) continue;
        seen[number] = true;
        const auto& block = graph_.blocks()[number];
        for (auto i = block.first; i < block.end; ++i)
            if (writes(i, bytes)) writers.push_back(i);
        const auto& last = instruction(block.end - 1);
        const bool returns = instrumentation::endsBlock(last) && instrumentation::branchOf(last).returns;
        if (!returns) open.insert(open.end(), block.successors.begin(), block.successors.end());
    }
}

std::vector<std::uint32_t> CodeFlow::lastWriters(std::uint32_t number, ByteRange bytes) const {
    std::vector<std::uint32_t> writers;
    std::vector<bool> seen(graph_.blocks().size());
    std::vector<bool> called(graph_.blocks().size());
    struct Way {
        std::uint32_t block;
        std::uint32_t end;  ///< the instruction behind the part to look at
    };
    std::vector<Way> open{{graph_.blockOf(number), number}};
    while (!open.empty()) {
        const auto [block, end] = open.back();
        open.pop_back();
        bool isDone = false;
        for (auto i = end; i > graph_.blocks()[block].first && !isDone;) {
            --i;
            const auto& one = instruction(i);
            const bool calls = instrumentation::endsBlock(one) && instrumentation::branchOf(one).calls;
            if (calls) addCalled(i, bytes, called, writers);
            if (writes(i, bytes)) writers.push_back(i);
            isDone = surelyWrites(i, bytes);
        }
        for (const auto before : before_[block]) {
            if (isDone || seen[before]) continue;
            seen[before] = true;
            open.push_back({before, graph_.blocks()[before].end});
        }
    }
    std::ranges::sort(writers);
    writers.erase(std::unique(writers.begin(), writers.end()), writers.end());
    return writers;
}

bool CodeFlow::isEnteredAtFirst(std::uint32_t number, std::uint64_t first, std::uint64_t end) const {
    std::vector<bool> seen(graph_.blocks().size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> open{{graph_.blockOf(number), number + 1}};  // with its end
    while (!open.empty()) {
        const auto [block, behind] = open.back();
        open.pop_back();
        bool isDone = false;
        for (auto i = behind; i > graph_.blocks()[block].first && !isDone; --i) {
            const auto ip = instruction(i - 1).ip;
            if (ip < first || ip >= end) return false;
            isDone = ip == first;
        }
        if (isDone) continue;
        if (before_[block].empty()) return false;
        for (const auto before : before_[block]) {
            if (seen[before]) continue;
            seen[before] = true;
            open.emplace_back(before, graph_.blocks()[before].end);
        }
    }
    return true;
}

bool CodeFlow::comeBefore(const std::vector<std::uint32_t>& numbers, std::uint32_t number) const {
    std::vector<bool> seen(graph_.blocks().size());
    std::vector<std::uint32_t> open{kFirstBlock};
    while (!open.empty()) {
        const auto block = open.back();
        open.pop_back();
        if (seen[block]) continue;
        seen[block] = true;
        const auto first = graph_.blocks()[block].first;
        const auto end = graph_.blocks()[block].end;
        const bool stops = number >= first && number < end;
        const auto last = stops ? number : end;
        if (std::ranges::any_of(numbers, [&](auto each) { return each >= first && each < last; })) return true;
        if (!stops) open.insert(open.end(), after_[block].begin(), after_[block].end());
    }
    return false;
}

bool CodeFlow::leads(std::uint32_t from, std::uint32_t to) const {
    const auto last = graph_.blockOf(to);
    const auto first = graph_.blockOf(from);
    if (first == last && from < to) return true;
    std::vector<bool> seen(graph_.blocks().size());
    std::vector<std::uint32_t> open = after_[first];
    while (!open.empty()) {
        const auto block = open.back();
        open.pop_back();
        if (block == last) return true;
        if (seen[block]) continue;
        seen[block] = true;
        open.insert(open.end(), after_[block].begin(), after_[block].end());
    }
    return false;
}

bool CodeFlow::isReadFrom(std::uint32_t number, ByteRange bytes) const {
    std::vector<bool> seen(graph_.blocks().size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> open{{graph_.blockOf(number), number}};  // with its begin
    while (!open.empty()) {
        const auto [block, begin] = open.back();
        open.pop_back();
        bool isOver = false;
        for (auto i = begin; i < graph_.blocks()[block].end && !isOver; ++i) {
            if (reads(i, bytes)) return true;
            isOver = surelyWrites(i, bytes);
        }
        for (const auto after : after_[block]) {
            if (isOver || seen[after]) continue;
            seen[after] = true;
            open.emplace_back(after, graph_.blocks()[after].first);
        }
    }
    return false;
}

}  // namespace zetl::debugger
