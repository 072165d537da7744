// Finds the memory that an address means, and accesses it.
#include <ze_tools_layer/conditions.h>
#include <ze_tools_layer/history.h>
#include <ze_tools_layer/lane_memory.h>
#include <ze_tools_layer/level_zero.h>
#include <ze_tools_layer/watches.h>

#include "base/log.h"
#include "debug/session.h"
#include "debug/wire.h"

namespace zetl::debug {
namespace {

/// Set in addresses of shared local memory; what is below is the offset (debuggers get such addresses from DWARF).
constexpr std::uint64_t kLocalTag = 0x1000'0000;

}  // namespace

bool Session::canonical(std::uint64_t address) const noexcept {
    const auto bits = device_.info().address_bits;
    if (bits == 0 || bits >= 64) return true;
    const auto high = address >> (bits - 1);
    const auto ones = ~std::uint64_t{0} >> (bits - 1);
    return high == 0 || high == ones || high == 1;  // 1: the decanonised form of the upper half
}

Session::Route Session::routeImage(std::uint64_t address, std::uint64_t bytes) const {
    const Lock guard(mutex_);
    const auto* module = book_.modules().byImage(address);
    if (!module) return {ZE_RESULT_ERROR_NOT_AVAILABLE};
    if (bytes > module->imageEnd() - address) return {ZE_RESULT_ERROR_INVALID_ARGUMENT};
    return {ZE_RESULT_SUCCESS, ZETL_SPACE_GLOBAL, module->id, address - module->imageBegin};
}

Session::Route Session::routeByAddress(std::uint64_t address, std::uint64_t bytes) const {
    if (!canonical(address)) return {ZE_RESULT_ERROR_INVALID_ARGUMENT};
    {
        const Lock guard(mutex_);
        if (const auto* module = book_.modules().byCode(address)) {
            if (bytes > module->codeEnd() - address) return {ZE_RESULT_ERROR_INVALID_ARGUMENT};
            return {ZE_RESULT_SUCCESS, ZETL_SPACE_CODE, 0, address};
        }
    }
    auto image = routeImage(address, bytes);
    if (image.refusal != ZE_RESULT_ERROR_NOT_AVAILABLE) return image;
    return {ZE_RESULT_SUCCESS, ZETL_SPACE_GLOBAL, 0, address};
}

Session::Route Session::route(const ThreadSet& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                              std::uint64_t bytes) const {
    if (wire::overflows(address, bytes)) return {ZE_RESULT_ERROR_INVALID_ARGUMENT};
    if (!thread.isAll()) {
        if (!thread.single() || !thread.within(device_)) return {ZE_RESULT_ERROR_INVALID_ARGUMENT};
        if (const auto result = checkReported(thread); result != ZE_RESULT_SUCCESS) return {result};
    }
    switch (static_cast<std::uint32_t>(space)) {
        case ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT:
            return routeByAddress(address, bytes);
        case ZET_DEBUG_MEMORY_SPACE_TYPE_ELF:
            return routeImage(address, bytes);
        case ZET_DEBUG_MEMORY_SPACE_TYPE_SLM:
            if (thread.isAll() || !(address & kLocalTag)) return {ZE_RESULT_ERROR_INVALID_ARGUMENT};
            return {ZE_RESULT_SUCCESS, ZETL_SPACE_SHARED, 0, address & (kLocalTag - 1)};
        case ZETL_DEBUG_MEMORY_SPACE_HISTORY:
            if (!thread.isAll()) return {ZE_RESULT_ERROR_INVALID_ARGUMENT};
            return {ZE_RESULT_SUCCESS, ZETL_SPACE_HISTORY, 0, address};
        case ZETL_DEBUG_MEMORY_SPACE_WATCHES:
            if (!thread.isAll()) return {ZE_RESULT_ERROR_INVALID_ARGUMENT};
            return {ZE_RESULT_SUCCESS, ZETL_SPACE_WATCHES, 0, address};
        case ZETL_DEBUG_MEMORY_SPACE_CONDITIONS:
            if (!thread.isAll()) return {ZE_RESULT_ERROR_INVALID_ARGUMENT};
            return {ZE_RESULT_SUCCESS, ZETL_SPACE_CONDITIONS, 0, address};
        case ZETL_DEBUG_MEMORY_SPACE_PRIVATE:
            if (thread.isAll()) return {ZE_RESULT_ERROR_INVALID_ARGUMENT};
            return {ZE_RESULT_SUCCESS, ZETL_SPACE_PRIVATE, 0, address};
        case ZETL_DEBUG_MEMORY_SPACE_PARAMETERS:
            if (thread.isAll()) return {ZE_RESULT_ERROR_INVALID_ARGUMENT};
            return {ZE_RESULT_SUCCESS, ZETL_SPACE_PARAMETER, 0, address};
        default:
            return {ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION};
    }
}

ze_result_t Session::readMemory(const ThreadSet& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                                std::uint64_t bytes, void* buffer) {
    const auto target = this->target();
    if (!target) return ZE_RESULT_ERROR_NOT_AVAILABLE;
    const auto route = this->route(thread, space, address, bytes);
    if (route.refusal != ZE_RESULT_SUCCESS || bytes == 0) return route.refusal;
    return threadResultOf(route.image != 0
                              ? target->readImage(route.image, route.address, bytes, buffer)
                              : target->readMemory(thread.access(), route.space, route.address, bytes, buffer));
}

ze_result_t Session::writeMemory(const ThreadSet& thread, zet_debug_memory_space_type_t space, std::uint64_t address,
                                 std::uint64_t bytes, const void* buffer) {
    const auto target = this->target();
    if (!target) return ZE_RESULT_ERROR_NOT_AVAILABLE;
    const auto route = this->route(thread, space, address, bytes);
    if (route.refusal != ZE_RESULT_SUCCESS) return route.refusal;
    if (route.image != 0) {
        log::warn(log::Channel::debug,
                  "zetDebugWriteMemory refused: {:#x} lies in a module's debug image, which is read only", address);
        return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    }
    if (bytes == 0) return ZE_RESULT_SUCCESS;
    return threadResultOf(target->writeMemory(thread.access(), route.space, route.address, bytes, buffer));
}

ze_result_t Session::writeBreakpoint(const ThreadSet& thread, std::uint64_t address, std::uint64_t bytes,
                                     const void* buffer) {
    const auto target = this->target();
    if (!target) return ZE_RESULT_ERROR_NOT_AVAILABLE;
    if (!thread.isAll() || bytes != sizeof(ze_bool_t)) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    return threadResultOf(target->breakpoint(address, *static_cast<const ze_bool_t*>(buffer) != 0));
}

}  // namespace zetl::debug
