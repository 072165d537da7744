#include "soak/ledger.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace zetl::soak {
namespace {

constexpr std::array kShortages = {ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
                                   ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, ZE_RESULT_ERROR_NOT_AVAILABLE,
                                   ZE_RESULT_ERROR_DEVICE_LOST};  // what was begun and cannot be ended

std::string hexadecimal(ze_result_t code) {
    char text[16];
    std::snprintf(text, sizeof text, "0x%x", static_cast<unsigned>(code));
    return text;
}

}  // namespace

Ledger& ledger() {
    static Ledger counts;
    return counts;
}

void check(ze_result_t result, const char* call) {
    ledger().calls.fetch_add(1, std::memory_order_relaxed);
    if (result != ZE_RESULT_SUCCESS) throw Failure(std::string(call) + " -> " + hexadecimal(result), result);
}

void checkValue(std::uint64_t value, std::uint64_t expected, const std::string& what) {
    if (value == expected) return;
    throw Failure(what + " is " + std::to_string(value) + ", expected " + std::to_string(expected), ZE_RESULT_SUCCESS);
}

bool isShortage(ze_result_t result) noexcept {
    return std::find(kShortages.begin(), kShortages.end(), result) != kShortages.end();
}

}  // namespace zetl::soak
