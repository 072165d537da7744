#include "emulator/driver/entry/external_pointer.h"

#include <cstdint>
#include <iterator>
#include <map>

#include "base/never_destroyed.h"
#include "base/synchronized.h"
#include "emulator/driver/device/driver.h"
#include "emulator/driver/entry/tables.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

using Ranges = std::map<std::uint64_t, std::uint64_t>;  // begin, end

Synchronized<Ranges>& ranges() {
    static NeverDestroyed<Synchronized<Ranges>> imported;
    return *imported;
}

std::uint64_t addressIn(const void* pointer) noexcept { return reinterpret_cast<std::uint64_t>(pointer); }

/// The range that contains an address.
Ranges::const_iterator rangeAt(const Ranges& all, std::uint64_t address) {
    const auto after = all.upper_bound(address);
    if (after == all.begin()) return all.end();
    const auto range = std::prev(after);
    return address < range->second ? range : all.end();
}

constexpr char kNotImported[] = "{} is in no imported range";

ze_result_t import(ze_driver_handle_t driver, void* pointer, std::size_t size) noexcept {
    return onObject<Driver, ZE_RESULT_ERROR_INVALID_SIZE>(
        "zexDriverImportExternalPointer", driver, {pointer}, [&](Driver&) -> Status {
            const std::uint64_t begin = addressIn(pointer), end = begin + size;
            if (size == 0 || end < begin) return ZE_RESULT_ERROR_INVALID_SIZE;
            return ranges().write([&](Ranges& all) -> Status {
                const auto last = all.lower_bound(end);
                if (last != all.begin() && std::prev(last)->second > begin)
                    return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "[{}, +{}) overlaps an imported range", pointer,
                                  size);
                all.emplace(begin, end);
                return ZE_RESULT_SUCCESS;
            });
        });
}

ze_result_t release(ze_driver_handle_t driver, void* pointer) noexcept {
    return onObject<Driver>("zexDriverReleaseImportedPointer", driver, {pointer}, [&](Driver&) {
        return ranges().write([&](Ranges& all) -> Status {
            const auto range = rangeAt(all, addressIn(pointer));
            if (range == all.end()) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, kNotImported, pointer);
            all.erase(range);
            return ZE_RESULT_SUCCESS;
        });
    });
}

ze_result_t baseAddress(ze_driver_handle_t driver, void* pointer, void** base) noexcept {
    return onObject<Driver>("zexDriverGetHostPointerBaseAddress", driver, {pointer, base}, [&](Driver&) {
        return ranges().read([&](const Ranges& all) -> Status {
            const auto range = rangeAt(all, addressIn(pointer));
            // Programs ask this about every pointer that they copy.
            if (range == all.end()) return refuseProbe(ZE_RESULT_ERROR_INVALID_ARGUMENT, kNotImported, pointer);
            *base = reinterpret_cast<void*>(range->first);
            return ZE_RESULT_SUCCESS;
        });
    });
}

}  // namespace

bool isImported(const void* pointer) {
    return ranges().read([&](const Ranges& all) { return rangeAt(all, addressIn(pointer)) != all.end(); });
}

void* externalPointerFunction(std::string_view name) noexcept {
    if (name == "zexDriverImportExternalPointer") return entryOf(import);
    if (name == "zexDriverReleaseImportedPointer") return entryOf(release);
    return name == "zexDriverGetHostPointerBaseAddress" ? entryOf(baseAddress) : nullptr;
}

}  // namespace zetl::emulator::driver
