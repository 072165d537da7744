// A driver's dispatch tables: one entry for every function of the specification, implemented or refused.
#pragma once

#include <span>
#include <string_view>

#include "base/handle_head.h"
#include "ddi/api.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::driver {

/// "This function is implemented by that one." Made from rows (driver/entry.h), and by ZETL_SERVES for entries that are
/// written by hand, whose signatures it checks.
struct Served {
    ddi::Function function;
    void* entry;
};

template <class F>
void* entryOf(F* own) noexcept {
    return reinterpret_cast<void*>(own);
}

/// A row that says that the C function `function` is implemented by `own`, of the same type.
#define ZETL_SERVES(function, own) \
    ::zetl::driver::Served { ::zetl::ddi::Function::function, ::zetl::driver::entryOf<decltype(::function)>(own) }

using Rows = std::span<const Served>;

/// A function that programs find by name alone, such as those of Intel's driver that are in no specification.
struct NamedFunction {
    std::string_view name;
    void* entry;
};

/// Lets `entry` serve a function from now on. The composition of the shared library puts the tools modules behind the
/// driver's zet tables with it. Call it before the first getter runs; copies that a loader has already taken do not
/// change.
void serve(ddi::Function function, void* entry) noexcept;

/// Lets programs find a function by its name, which must live as long as the process. Under the conditions of serve().
void serveNamed(NamedFunction function);

/// Makes calls through the tables enter `entry` first, and returns the address that they would have reached, for
/// `entry` to call. Functions that are looked up by name do not pass it. Call it after serve(), under the same
/// conditions.
void* interpose(ddi::Function function, void* entry) noexcept;

/// The address of the implemented function of that name, in a table or not; null if it is unknown or refused.
void* servedFunction(std::string_view name) noexcept;

/// The tables that serve the driver's handles: the first words of every object behind a handle.
HandleHead tablesOfHandles() noexcept;

/// Copies as many entries of `table` as a caller of specification `version` has room for.
ze_result_t fillTable(ddi::Table table, ze_api_version_t version, void* out) noexcept;

}  // namespace zetl::driver
