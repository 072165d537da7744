#include "ddi/table_size.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace zetl::ddi {
namespace {

struct Extent {
    std::size_t first = 0;
    std::size_t slots = 0;
};

constexpr auto kExtents = [] {
    std::array<Extent, kTables> extents{};
    for (std::size_t i = kFunctions; i-- > 0;) {
        auto& extent = extents[index(kFunctionRows[i].table)];
        extent.first = i;
        ++extent.slots;
    }
    return extents;
}();

constexpr bool inOrder() {
    for (std::size_t i = 0; i < kFunctions; ++i) {
        const auto& row = kFunctionRows[i];
        const auto& extent = kExtents[index(row.table)];
        if (i != extent.first + row.slot) return false;
        if (row.slot > 0 && kFunctionRows[i - 1].minor > row.minor) return false;
    }
    return true;
}
static_assert(inOrder(), "rows of a table must be neighbours, in slot order, with versions that never fall");

struct Deviation {
    LoaderVersion first;
    LoaderVersion last;
    unsigned firstMinor;  // of the specification versions that those loaders pass
    unsigned lastMinor;
    Table table;
};

// Found by comparing the headers of all loader releases. Loaders before 1.10 report their patch level as 0, so ranges
// cover the whole minor version there.
constexpr int kAny = 0x7fff;
constexpr Deviation kDeviations[] = {
    {{1, 0, 0}, {1, 5, kAny}, 0, 1, Table::zesDevice},  // lacks an entry in the middle
    {{1, 9, 0}, {1, 9, kAny}, 5, 5, Table::zetMetricGroupExp},
    {{1, 10, 0}, {1, 11, kAny}, 6, 6, Table::zetMetricGroupExp},
    {{1, 18, 0}, {1, 18, 5}, 11, 11, Table::zeKernelExp},
    {{1, 18, 0}, {1, 18, 3}, 11, 11, Table::zeCommandListExp},
    {{1, 18, 0}, {1, 18, 3}, 11, 11, Table::zetMetricGroupExp},
    {{1, 18, 0}, {1, 18, 3}, 11, 11, Table::zetMetricExp},
    {{1, 18, 0}, {1, 18, 2}, 11, 11, Table::zesDeviceExp},
    {{1, 18, 0}, {1, 18, 2}, 11, 11, Table::zesVFManagementExp},
    {{1, 18, 0}, {1, 18, 1}, 11, 11, Table::zetMetric},
};

constexpr unsigned minorOf(ze_api_version_t version) {
    return ZE_MAJOR_VERSION(version) == 1 ? ZE_MINOR_VERSION(version) : 0xff;
}

}  // namespace

Function firstFunction(Table table) noexcept { return Function(kExtents[index(table)].first); }

std::size_t slots(Table table) noexcept { return kExtents[index(table)].slots; }

std::size_t usableSlots(Table table, ze_api_version_t version) noexcept {
    const auto* first = &kFunctionRows[kExtents[index(table)].first];
    const auto* last = first + slots(table);
    const auto usable = [minor = minorOf(version)](const FunctionRow& row) { return row.minor <= minor; };
    return static_cast<std::size_t>(std::partition_point(first, last, usable) - first);
}

bool deviates(Table table, LoaderVersion loader) noexcept {
    return std::any_of(std::begin(kDeviations), std::end(kDeviations), [&](const Deviation& each) {
        return each.table == table && each.first <= loader && loader <= each.last;
    });
}

bool mayDeviate(Table table, ze_api_version_t version) noexcept {
    return std::any_of(std::begin(kDeviations), std::end(kDeviations), [&](const Deviation& each) {
        return each.table == table && each.firstMinor <= minorOf(version) && minorOf(version) <= each.lastMinor;
    });
}

}  // namespace zetl::ddi
