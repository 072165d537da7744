#include "nvidia/debugger/warp_tables.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace zetl::nvidia {
namespace {

std::uint64_t number(const mi::Value& row, std::string_view name, int base) {
    return std::strtoull(std::string(row.textOf(name)).c_str(), nullptr, base);
}

/// Of "(1,2,3)".
Coordinates coordinates(const mi::Value& row, std::string_view name) {
    const std::string text(row.textOf(name));
    Coordinates all{};
    const char* at = text.c_str();
    for (auto& each : all) {
        at += std::strcspn(at, "0123456789");
        char* end = nullptr;
        each = static_cast<std::uint32_t>(std::strtoul(at, &end, 10));
        at = end;
    }
    return all;
}

/// Calls back with each row.
template <class F>
void eachRow(const mi::Value& answer, std::string_view table, F&& function) {
    const auto* const found = answer.find(table);
    const auto* const rows = found ? found->find("body") : nullptr;
    if (!rows) return;
    for (const auto& [name, row] : rows->items) function(row);
}

}  // namespace

std::map<std::uint32_t, WarpRow> warpsFrom(const mi::Value& answer) {
    std::map<std::uint32_t, WarpRow> all;
    eachRow(answer, "InfoCudaWarpsTable", [&](const mi::Value& row) {
        const auto active = static_cast<std::uint32_t>(number(row, "active_lanes_mask", 16));
        const auto divergent = static_cast<std::uint32_t>(number(row, "divergent_lanes_mask", 16));
        all[static_cast<std::uint32_t>(number(row, "warp", 10))] = {
            number(row, "active_physical_pc", 16), active | divergent, active,
            static_cast<std::uint32_t>(number(row, "kernel", 10)), coordinates(row, "blockIdx")};
    });
    return all;
}

std::map<std::uint32_t, Coordinates> lanesFrom(const mi::Value& answer) {
    std::map<std::uint32_t, Coordinates> all;
    eachRow(answer, "InfoCudaLanesTable", [&](const mi::Value& row) {
        all[static_cast<std::uint32_t>(number(row, "lane", 10))] = coordinates(row, "threadIdx");
    });
    return all;
}

std::map<std::uint32_t, Coordinates> groupSizesFrom(const mi::Value& answer) {
    std::map<std::uint32_t, Coordinates> all;
    eachRow(answer, "InfoCudaKernelsTable", [&](const mi::Value& row) {
        all[static_cast<std::uint32_t>(number(row, "kernel", 10))] = coordinates(row, "blockDim");
    });
    return all;
}

}  // namespace zetl::nvidia
