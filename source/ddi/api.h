// Every table and function of the Level Zero dispatch interface, as data.
#pragma once

#include <cstddef>
#include <cstdint>

namespace zetl::ddi {

/// One dispatch table; the enumerator is `zeCommandListExp` for zeGetCommandListExpProcAddrTable.
enum class Table : std::uint8_t {
#define TABLE(api, table, c_name) api##table,
#define SLOT(api, table, index, object, member, minor)
#include "ddi/every_api.def"
};

/// One function; the enumerator has the C function's name. Core and runtime come first, then tools, then sysman; the
/// functions of one table are neighbours, in the order of their slots.
enum class Function : std::uint16_t {
#define TABLE(api, table, c_name)
#define SLOT(api, table, index, object, member, minor) api##object##member,
#include "ddi/every_api.def"
};

struct FunctionRow {
    const char* name;  // the C function
    Table table;
    std::uint8_t slot;   // index in the table
    std::uint8_t minor;  // usable from specification 1.minor on
};

inline constexpr FunctionRow kFunctionRows[] = {
#define TABLE(api, table, c_name)
#define SLOT(api, table, index, object, member, minor) {#api #object #member, Table::api##table, index, minor},
#include "ddi/every_api.def"
};

/// The C function that fills each table.
inline constexpr const char* kGetters[] = {
#define TABLE(api, table, c_name) #api "Get" #table "ProcAddrTable",
#define SLOT(api, table, index, object, member, minor)
#include "ddi/every_api.def"
};

inline constexpr std::size_t kFunctions = sizeof kFunctionRows / sizeof *kFunctionRows;
inline constexpr std::size_t kTables = sizeof kGetters / sizeof *kGetters;

/// Functions 0 to kTraced - 1 are core and runtime, those that API tracing covers; the next kTools are the Tools API.
inline constexpr std::size_t kTraced = 0
#define TABLE(api, table, c_name)
#define SLOT(api, table, index, object, member, minor) +1
#include "ddi/core_api.def"
#undef TABLE
#undef SLOT
    ;
inline constexpr std::size_t kTools = 0
#define TABLE(api, table, c_name)
#define SLOT(api, table, index, object, member, minor) +1
#include "ddi/tools_api.def"
#undef TABLE
#undef SLOT
    ;

constexpr std::size_t index(Function function) noexcept { return static_cast<std::size_t>(function); }
constexpr std::size_t index(Table table) noexcept { return static_cast<std::size_t>(table); }
constexpr const FunctionRow& row(Function function) noexcept { return kFunctionRows[index(function)]; }
constexpr const char* getter(Table table) noexcept { return kGetters[index(table)]; }
constexpr bool isTraced(Function function) noexcept { return index(function) < kTraced; }
constexpr bool isTools(Function function) noexcept { return index(function) - kTraced < kTools; }

}  // namespace zetl::ddi
