#include "driver/refusal.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "driver/description.h"

namespace zetl::driver {
namespace {

/// Plain storage: it must stay usable in static destructors, after thread_local objects are gone.
thread_local std::array<char, 512> lastText{};
thread_local const char* functionName = "";

struct CodeName {
    ze_result_t code;
    const char* name;
};

constexpr CodeName kCodeNames[] = {
    {ZE_RESULT_SUCCESS, "SUCCESS"},
    {ZE_RESULT_NOT_READY, "NOT_READY"},
    {ZE_RESULT_ERROR_DEVICE_LOST, "DEVICE_LOST"},
    {ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "OUT_OF_HOST_MEMORY"},
    {ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, "OUT_OF_DEVICE_MEMORY"},
    {ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, "MODULE_BUILD_FAILURE"},
    {ZE_RESULT_ERROR_MODULE_LINK_FAILURE, "MODULE_LINK_FAILURE"},
    {ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS, "INSUFFICIENT_PERMISSIONS"},
    {ZE_RESULT_ERROR_NOT_AVAILABLE, "NOT_AVAILABLE"},
    {ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE, "DEPENDENCY_UNAVAILABLE"},
    {ZE_RESULT_WARNING_DROPPED_DATA, "DROPPED_DATA"},
    {ZE_RESULT_ERROR_UNINITIALIZED, "UNINITIALIZED"},
    {ZE_RESULT_ERROR_UNSUPPORTED_VERSION, "UNSUPPORTED_VERSION"},
    {ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, "UNSUPPORTED_FEATURE"},
    {ZE_RESULT_ERROR_INVALID_ARGUMENT, "INVALID_ARGUMENT"},
    {ZE_RESULT_ERROR_INVALID_NULL_HANDLE, "INVALID_NULL_HANDLE"},
    {ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE, "HANDLE_OBJECT_IN_USE"},
    {ZE_RESULT_ERROR_INVALID_NULL_POINTER, "INVALID_NULL_POINTER"},
    {ZE_RESULT_ERROR_INVALID_SIZE, "INVALID_SIZE"},
    {ZE_RESULT_ERROR_UNSUPPORTED_SIZE, "UNSUPPORTED_SIZE"},
    {ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT, "UNSUPPORTED_ALIGNMENT"},
    {ZE_RESULT_ERROR_INVALID_SYNCHRONIZATION_OBJECT, "INVALID_SYNCHRONIZATION_OBJECT"},
    {ZE_RESULT_ERROR_INVALID_ENUMERATION, "INVALID_ENUMERATION"},
    {ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION, "UNSUPPORTED_ENUMERATION"},
    {ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT, "UNSUPPORTED_IMAGE_FORMAT"},
    {ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, "INVALID_NATIVE_BINARY"},
    {ZE_RESULT_ERROR_INVALID_GLOBAL_NAME, "INVALID_GLOBAL_NAME"},
    {ZE_RESULT_ERROR_INVALID_KERNEL_NAME, "INVALID_KERNEL_NAME"},
    {ZE_RESULT_ERROR_INVALID_FUNCTION_NAME, "INVALID_FUNCTION_NAME"},
    {ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, "INVALID_GROUP_SIZE_DIMENSION"},
    {ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION, "INVALID_GLOBAL_WIDTH_DIMENSION"},
    {ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX, "INVALID_KERNEL_ARGUMENT_INDEX"},
    {ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE, "INVALID_KERNEL_ARGUMENT_SIZE"},
    {ZE_RESULT_ERROR_INVALID_KERNEL_ATTRIBUTE_VALUE, "INVALID_KERNEL_ATTRIBUTE_VALUE"},
    {ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED, "INVALID_MODULE_UNLINKED"},
    {ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE, "INVALID_COMMAND_LIST_TYPE"},
    {ZE_RESULT_ERROR_OVERLAPPING_REGIONS, "OVERLAPPING_REGIONS"},
    {ZE_RESULT_ERROR_UNKNOWN, "UNKNOWN"},
};

}  // namespace

namespace detail {

void rememberRefusal(log::Level level, fmt::string_view format, fmt::format_args arguments) noexcept {
    try {
        const auto room = lastText.size() - 1;
        const auto written = fmt::vformat_to_n(lastText.data(), room, format, arguments);
        lastText[std::min(written.size, room)] = '\0';
    } catch (...) {
        lastText[0] = '\0';
    }
    log::write(description().log, level, "{}: {}", functionName, lastText.data());
}

}  // namespace detail

const char* lastRefusal() noexcept { return lastText.data(); }

const char*& currentFunction() noexcept { return functionName; }

const char* codeName(ze_result_t code) noexcept {
    const auto found = std::find_if(std::begin(kCodeNames), std::end(kCodeNames),
                                    [code](const CodeName& entry) { return entry.code == code; });
    return found == std::end(kCodeNames) ? "unlisted" : found->name;
}

}  // namespace zetl::driver
