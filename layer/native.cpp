#include "native.h"

#include <array>

#include "base/log.h"
#include "ddi/table_size.h"
#include "layer.h"

namespace zetl::layer {
namespace {

constexpr std::size_t kLargestTable = 64;
using TableOfAny = std::array<void*, kLargestTable>;
using Getter = ze_result_t(ZE_APICALL*)(ze_api_version_t, void**);

/// Fills a private table, asking for the newest version that the getter accepts.
TableOfAny filledBy(Getter getter) noexcept {
    TableOfAny table{};
    for (unsigned minor = ddi::kNewestMinor + 1; minor-- > 0;)
        if (getter(static_cast<ze_api_version_t>(ZE_MAKE_VERSION(1, minor)), table.data()) == ZE_RESULT_SUCCESS)
            return table;
    return {};
}

/// Whether that loader has been initialised. Until then, loaders 1.20.6 and 1.32.0 crash in their tools functions and
/// in their getters, but not in this one.
bool ready(const ddi::SharedObject& loader) noexcept {
    const auto driverGet = reinterpret_cast<decltype(&zeDriverGet)>(loader.symbol("zeDriverGet"));
    std::uint32_t count = 0;
    return driverGet && driverGet(&count, nullptr) == ZE_RESULT_SUCCESS;
}

/// The library that core functions lead to: the driver, or the loader where it wraps handles. Empty before zeInit.
ddi::SharedObject libraryBelow(const ddi::SharedObject& loader) noexcept {
    if (const auto known = Layer::instance().driver()) return known;
    if (!ready(loader)) return {};
    const auto getter = reinterpret_cast<Getter>(loader.symbol("zeGetDriverProcAddrTable"));
    return getter ? ddi::SharedObject::holding(filledBy(getter)[0]) : ddi::SharedObject();
}

ddi::Address inDriver(ddi::Function function, const ddi::SharedObject& loader) noexcept {
    const auto& row = ddi::row(function);
    const auto driver = libraryBelow(loader);
    if (!driver || driver == loader) return nullptr;
    const auto getter = reinterpret_cast<Getter>(driver.symbol(ddi::getter(row.table)));
    if (!getter) return nullptr;
    const auto found = reinterpret_cast<ddi::Address>(filledBy(getter)[row.slot]);
    if (found) log::info(log::Channel::layer, "{}: unknown to the loader, taken from the driver", row.name);
    return found;
}

}  // namespace

ddi::Address nativeFunction(ddi::Function function) noexcept {
    if (const auto next = ddi::route(function).next()) return next;
    const auto loader = ddi::SharedObject::named(ddi::kLoaderName);
    if (!Layer::instance().attached()) {
        if (!ready(loader)) return nullptr;
        if (void* exported = loader.symbol(ddi::row(function).name)) return reinterpret_cast<ddi::Address>(exported);
    }
    const auto found = inDriver(function, loader);
    if (found && Layer::instance().attached()) ddi::route(function).setNext(found);
    return found;
}

bool initialized() noexcept {
    return Layer::instance().attached() || libraryBelow(ddi::SharedObject::named(ddi::kLoaderName));
}

}  // namespace zetl::layer
