#include "entries.h"

#include "base/log.h"
#include "core_api_devices.h"
#include "ddi/table_size.h"
#include "ddi/trampoline.h"
#include "destroyed_events.h"
#include "extension_functions.h"
#include "failing_calls.h"
#include "init_pool.h"

namespace zetl::layer {
namespace {

const ddi::Address kToolsEntries[ddi::kTools] = {
#define TABLE(api, table, c_name)
#define SLOT(api, table, index, object, member, minor) reinterpret_cast<ddi::Address>(&api##object##member),
#include "ddi/tools_api.def"
#undef TABLE
#undef SLOT
};

/// Replaces a sysman function that no library below offers. It ignores the arguments, so one function replaces all.
ze_result_t ZE_APICALL unsupportedSysman() noexcept { return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE; }

ddi::Address takeOverInit(ddi::Address held) noexcept {
    if (const auto entry = initEntry(held)) return entry;
    log::error(log::Channel::layer,
               "more drivers' zeInit functions than the layer can keep apart; this one is not traced");
    return held;
}

ddi::Address toolsEntry(ddi::Function function) noexcept { return kToolsEntries[ddi::index(function) - ddi::kTraced]; }

/// Remembers the old content of the entry as the rest of the chain, and returns the new content.
ddi::Address replacement(ddi::Function function, ddi::Address held) noexcept {
    if (function == ddi::Function::zeInit && held) return takeOverInit(held);
    if (function == ddi::Function::zeDriverGetExtensionFunctionAddress) held = withOwnFunctions(held);
    if (function == ddi::Function::zeEventDestroy) held = withDestroyedEventsTold(held);
    held = withContextsAwaited(function, held);
    if (ddi::isTraced(function)) {
        const auto& trampoline = ddi::kTrampolines[ddi::index(function)];
        ddi::route(function).setNext(held ? held : trampoline.unsupported);
        letFail(function);
        return trampoline.call;
    }
    if (ddi::isTools(function)) {
        ddi::route(function).setNext(held);
        return toolsEntry(function);
    }
    return held ? held : reinterpret_cast<ddi::Address>(&unsupportedSysman);
}

}  // namespace

bool isOurs(ddi::Function function, ddi::Address entry) noexcept {
    if (function == ddi::Function::zeInit && isInitEntry(entry)) return true;
    if (ddi::isTraced(function)) return entry == ddi::kTrampolines[ddi::index(function)].call;
    if (ddi::isTools(function)) return entry == toolsEntry(function);
    return entry != nullptr;  // in sysman tables only gaps are filled
}

void takeOver(ddi::Table table, void** entries, std::size_t usable) noexcept {
    const auto first = ddi::index(ddi::firstFunction(table));
    for (std::size_t i = 0; i < usable; ++i) {
        const auto function = ddi::Function(first + i);
        const auto held = reinterpret_cast<ddi::Address>(entries[i]);
        if (!isOurs(function, held)) entries[i] = reinterpret_cast<void*>(replacement(function, held));
    }
}

}  // namespace zetl::layer
