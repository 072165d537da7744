// A driver's dispatch tables: one entry for every function of the specification, served or refused.
#pragma once

#include <span>
#include <string_view>

#include "base/handle_head.h"
#include "ddi/api.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::driver {

/// "This function is served by that one." Made by ZETL_SERVES, which checks the signatures.
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

/// Lets `entry` serve a function from now on: how the composition of the shared library puts the tools modules behind
/// the driver's zet tables. To be called before the first getter runs; copies that a loader already took stay as they
/// are.
void serve(ddi::Function function, void* entry) noexcept;

/// Lets calls through the tables pass `entry` first, and answers what they would have reached, for `entry` to call.
/// Functions that are handed out by name do not pass it. To be called as serve() is, after it.
void* interpose(ddi::Function function, void* entry) noexcept;

/// The served function of that name; null if it is unknown or refused.
void* servedFunction(std::string_view name) noexcept;

/// The tables that serve the driver's handles: what every object behind one begins with.
HandleHead tablesOfHandles() noexcept;

/// Copies the entries of `table` that a caller of specification `version` has room for.
ze_result_t fillTable(ddi::Table table, ze_api_version_t version, void* out) noexcept;

}  // namespace zetl::driver
