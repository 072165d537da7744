#include "driver/tables.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "base/never_destroyed.h"
#include "ddi/table_size.h"
#include "driver/description.h"
#include "driver/refusal.h"

namespace zetl::driver {
namespace {

const char* whyNotOffered(ddi::Function function) noexcept {
    const auto& remedies = description().remedies;
    const auto found = std::ranges::find(remedies, function, &Remedy::function);
    return found == remedies.end() ? description().notOffered : found->text;
}

/// Replaces every function that the driver does not serve. It logs a warning the first time only, since programs try
/// and go on. It ignores the arguments that callers push, which the C calling conventions of all supported hosts allow.
template <std::size_t Index>
ze_result_t refused() noexcept {
    static std::atomic<bool> told{false};
    currentFunction() = ddi::kFunctionRows[Index].name;
    const char* const why = whyNotOffered(static_cast<ddi::Function>(Index));
    if (told.exchange(true, std::memory_order_relaxed))
        return refuseProbe(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "{}", why);
    return refuse(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "{}", why);
}

template <std::size_t... Index>
constexpr std::array<ze_result_t (*)() noexcept, sizeof...(Index)> refusals(std::index_sequence<Index...>) {
    return {refused<Index>...};
}

/// All entries, in the order of ddi::Function. The functions of one table are neighbours, so the address of the entry
/// of a table's first function is the table.
struct Entries {
    std::array<void*, ddi::kFunctions> byFunction;
    std::array<void*, ddi::kFunctions> served{};  // those of byFunction, or hidden by an interposed one; null: refused

    Entries() noexcept {
        constexpr auto kRefusals = refusals(std::make_index_sequence<ddi::kFunctions>());
        std::transform(kRefusals.begin(), kRefusals.end(), byFunction.begin(),
                       [](auto entry) { return entryOf(entry); });
        for (const Served& row : description().rows) set(row.function, row.entry);
    }

    void set(ddi::Function function, void* entry) noexcept {
        byFunction[ddi::index(function)] = entry;
        served[ddi::index(function)] = entry;
    }
};

Entries& entries() noexcept {
    static Entries all;
    return all;
}

std::vector<NamedFunction>& namedByComposition() {
    static NeverDestroyed<std::vector<NamedFunction>> functions;
    return *functions;
}

void* leaf(ddi::Table table) noexcept { return &entries().byFunction[ddi::index(ddi::firstFunction(table))]; }

/// The record that the first words of a handle point to, in the layout of loaders from 1.24 (specification 1.13) on:
/// the leaf tables in the order of the specification's container, which is the order of ddi::Table.
template <std::size_t Leaves>
struct HandleTables {
    std::uint32_t version = ZE_MAKE_VERSION(1, ddi::kNewestMinor);
    std::uint8_t valid = 1;
    std::array<void*, Leaves> leaves;

    explicit HandleTables(ddi::Table first) noexcept {
        for (std::size_t i = 0; i < Leaves; ++i) leaves[i] = leaf(static_cast<ddi::Table>(ddi::index(first) + i));
    }
};

constexpr std::size_t span(ddi::Table first, ddi::Table last) { return ddi::index(last) - ddi::index(first) + 1; }

}  // namespace

HandleHead tablesOfHandles() noexcept {
    using ddi::Table;
    static const HandleTables<span(Table::zeRTASBuilder, Table::zeExecutableGraph)> core(Table::zeRTASBuilder);
    static const HandleTables<1> runtime(Table::zerGlobal);
    static const HandleTables<span(Table::zetMetricProgrammableExp, Table::zetDebug)> tools(
        Table::zetMetricProgrammableExp);
    static const HandleTables<span(Table::zesGlobal, Table::zesVFManagementExp)> sysman(Table::zesGlobal);
    return {&core, &tools, &sysman, &runtime};
}

void serve(ddi::Function function, void* entry) noexcept { entries().set(function, entry); }

void serveNamed(NamedFunction function) { namedByComposition().push_back(function); }

void* interpose(ddi::Function function, void* entry) noexcept {
    return std::exchange(entries().byFunction[ddi::index(function)], entry);
}

void* servedFunction(std::string_view name) noexcept {
    for (std::size_t i = 0; i < ddi::kFunctions; ++i)
        if (ddi::kFunctionRows[i].name == name) return entries().served[i];
    const auto in = [name](const auto& named) -> void* {
        const auto found = std::ranges::find(named, name, &NamedFunction::name);
        return found == named.end() ? nullptr : found->entry;
    };
    void* const own = in(description().named);
    return own ? own : in(namedByComposition());
}

ze_result_t fillTable(ddi::Table table, ze_api_version_t version, void* out) noexcept {
    if (!out) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
    const auto first = ddi::index(ddi::firstFunction(table));
    std::copy_n(&entries().byFunction[first], ddi::usableSlots(table, version), static_cast<void**>(out));
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::driver
