#include "emulator/driver/memory/external_pointer.h"

#include <cstdint>
#include <iterator>
#include <map>

#include "base/never_destroyed.h"
#include "base/synchronized.h"
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

}  // namespace

Status importPointer(void* pointer, std::size_t size) {
    const std::uint64_t begin = addressIn(pointer), end = begin + size;
    if (size == 0 || end < begin) return ZE_RESULT_ERROR_INVALID_SIZE;
    return ranges().write([&](Ranges& all) -> Status {
        const auto last = all.lower_bound(end);
        if (last != all.begin() && std::prev(last)->second > begin)
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "[{}, +{}) overlaps an imported range", pointer, size);
        all.emplace(begin, end);
        return ZE_RESULT_SUCCESS;
    });
}

Status releasePointer(void* pointer) {
    return ranges().write([&](Ranges& all) -> Status {
        const auto range = rangeAt(all, addressIn(pointer));
        if (range == all.end()) return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, kNotImported, pointer);
        all.erase(range);
        return ZE_RESULT_SUCCESS;
    });
}

Result<void*> importedBase(void* pointer) {
    return ranges().read([&](const Ranges& all) -> Result<void*> {
        const auto range = rangeAt(all, addressIn(pointer));
        // Programs ask this about every pointer that they copy.
        if (range == all.end()) return refuseProbe(ZE_RESULT_ERROR_INVALID_ARGUMENT, kNotImported, pointer);
        return reinterpret_cast<void*>(range->first);
    });
}

bool isImported(const void* pointer) {
    return ranges().read([&](const Ranges& all) { return rangeAt(all, addressIn(pointer)) != all.end(); });
}

}  // namespace zetl::emulator::driver
