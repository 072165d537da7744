// The dispatch tables as data, for the fake driver and for the tests that look for overruns and gaps.
#pragma once

#include <array>
#include <cstddef>
#include <initializer_list>
#include <string_view>

namespace zetl::test {

/// One dispatch table: the exported function that fills it, how many entries it has by specification version, and the
/// functions its entries are for.
struct Table {
    static constexpr int kMaxSteps = 12;
    struct Step {
        int minor = 0;
        int entries = 0;
    };
    const char* getter = "";
    std::string_view functions;  // "zeInit, zeInitDrivers"
    std::array<Step, kMaxSteps> steps{};
    int stepCount = 0;

    constexpr Table(const char* name, std::initializer_list<Step> list, std::string_view names)
        : getter(name), functions(names) {
        for (const Step& step : list) steps[static_cast<std::size_t>(stepCount++)] = step;
    }
    /// Entries in the table of a caller that passes version 1.minor; 0 if that version has no such table.
    constexpr int entries(int minor) const {
        int count = 0;
        for (int i = 0; i < stepCount; ++i)
            if (steps[static_cast<std::size_t>(i)].minor <= minor) count = steps[static_cast<std::size_t>(i)].entries;
        return count;
    }
    constexpr int maxEntries() const { return steps[static_cast<std::size_t>(stepCount - 1)].entries; }

    constexpr std::string_view function(int index) const {
        auto rest = functions;
        for (; index > 0; --index) rest.remove_prefix(rest.find(',') + 2);
        return rest.substr(0, rest.find(','));
    }
};

/// The newest specification, 1.17, that the data knows.
inline constexpr int kNewestMinor = 17;

inline constexpr Table kTables[] = {
#define STEPS(...) \
    { __VA_ARGS__ }
#define TABLE(getter, steps, ...) Table(#getter, steps, #__VA_ARGS__),
#include "support/tables.def"
#undef TABLE
#undef STEPS
};
inline constexpr int kTableCount = static_cast<int>(std::size(kTables));

/// Entries of all tables are numbered through; the first one of a table has this number.
constexpr int firstSlot(int table) {
    int sum = 0;
    for (int i = 0; i < table; ++i) sum += kTables[i].maxEntries();
    return sum;
}
inline constexpr int kSlotCount = firstSlot(kTableCount);

constexpr int findTable(std::string_view getter) {
    for (int i = 0; i < kTableCount; ++i)
        if (getter == kTables[i].getter) return i;
    return -1;
}

/// The number of a function's entry, as in slotOf("zeDeviceGet"); -1 if there is no such function.
constexpr int slotOf(std::string_view function) {
    int slot = 0;
    for (const Table& table : kTables)
        for (int i = 0; i < table.maxEntries(); ++i, ++slot)
            if (table.function(i) == function) return slot;
    return -1;
}

}  // namespace zetl::test
