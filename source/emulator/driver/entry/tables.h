// The driver's dispatch tables: one entry for every function of the specification, served or refused.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "ddi/api.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::emulator::driver {

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
#define ZETL_SERVES(function, own)                                                                    \
    ::zetl::emulator::driver::Served {                                                                \
        ::zetl::ddi::Function::function, ::zetl::emulator::driver::entryOf<decltype(::function)>(own) \
    }

using Rows = std::span<const Served>;

// What each group of entry points serves; every other function answers UNSUPPORTED_FEATURE with a log line.
Rows globalRows() noexcept;
Rows driverRows() noexcept;
Rows deviceRows() noexcept;
Rows contextRows() noexcept;
Rows memoryRows() noexcept;
Rows memorySharingRows() noexcept;
Rows eventRows() noexcept;
Rows counterEventRows() noexcept;
Rows mutationRows() noexcept;
Rows runtimeRows() noexcept;
Rows requirementsRows() noexcept;
Rows queueRows() noexcept;
Rows listRows() noexcept;
Rows listMemoryRows() noexcept;
Rows moduleRows() noexcept;
Rows kernelRows() noexcept;
Rows launchRows() noexcept;
Rows virtualMemoryRows() noexcept;
Rows fabricRows() noexcept;
Rows sysmanRows() noexcept;
Rows sysmanComponentRows() noexcept;

/// Lets `entry` serve a function from now on: how the composition of the shared library puts the tools modules behind
/// the driver's zet tables. To be called before the first getter runs; copies that a loader already took stay as they
/// are.
void serve(ddi::Function function, void* entry) noexcept;

/// Lets calls through the tables pass `entry` first, and answers what they would have reached, for `entry` to call.
/// Functions that are handed out by name do not pass it. To be called as serve() is, after it.
void* interpose(ddi::Function function, void* entry) noexcept;

/// The served function of that name; null if it is unknown or refused.
void* servedFunction(std::string_view name) noexcept;

/// Copies the entries of `table` that a caller of specification `version` has room for.
ze_result_t fillTable(ddi::Table table, ze_api_version_t version, void* out) noexcept;

}  // namespace zetl::emulator::driver
