#include "recorder/arguments.h"

#include <level_zero/ze_api.h>

#include <cstring>

namespace zetl::recorder {
namespace {

using namespace command;

template <class T>
T valueAt(const void* address) {
    T value;
    std::memcpy(&value, address, sizeof value);
    return value;
}

void copyText(const char* text, std::uint64_t* payload) {
    constexpr auto room = wordsOf(Kind::text) * sizeof(std::uint64_t);
    std::memcpy(payload, text, strnlen(text, room - 1));
}

void readTarget(Kind kind, const void* target, std::uint64_t* payload) {
    switch (kind) {
        case Kind::out:
        case Kind::outNumber64:
            *payload = valueAt<std::uint64_t>(target);
            break;
        case Kind::outCount:
            *payload = valueAt<std::uint32_t>(target);
            break;
        case Kind::text:
            copyText(static_cast<const char*>(target), payload);
            break;
        case Kind::groups:
            std::memcpy(payload, target, sizeof(ze_group_count_t));
            break;
        case Kind::kernelDescription:
            if (const auto* name = static_cast<const ze_kernel_desc_t*>(target)->pKernelName) copyText(name, payload);
            break;
        default:
            break;
    }
}

}  // namespace

void readPointed(const Function& function, Parameters parameters, std::uint64_t* payload) noexcept {
    for (const auto& argument : function.arguments) {
        const void* address = *parameters++;
        if (isPointedTo(argument.kind))
            if (const auto* target = valueAt<const void*>(address)) readTarget(argument.kind, target, payload);
        payload += argument.words;
    }
}

}  // namespace zetl::recorder
