// The answers of queries: a value, if there is room for it, and its size.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "emulator/opencl/headers.h"

namespace zetl::emulator::opencl {

/// The caller's buffer for a query's answer.
struct Room {
    std::size_t bytes;
    void* value;
    std::size_t* needed;
};

inline cl_int answerBytes(const Room& room, const void* value, std::size_t bytes) noexcept {
    if (room.needed) *room.needed = bytes;
    if (!room.value) return CL_SUCCESS;
    if (room.bytes < bytes) return CL_INVALID_VALUE;
    if (bytes) std::memcpy(room.value, value, bytes);
    return CL_SUCCESS;
}
template <class T>
cl_int answer(const Room& room, T value) noexcept {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return answerBytes(room, bytes.data(), bytes.size());
}
template <class T>
cl_int answerAll(const Room& room, const std::vector<T>& values) noexcept {
    const auto bytes = std::as_bytes(std::span(values));
    return answerBytes(room, bytes.data(), bytes.size());
}
/// Text ends with a zero.
inline cl_int answerText(const Room& room, std::string_view text) noexcept {
    const std::size_t bytes = text.size() + 1;
    if (room.needed) *room.needed = bytes;
    if (!room.value) return CL_SUCCESS;
    if (room.bytes < bytes) return CL_INVALID_VALUE;
    std::memcpy(room.value, text.data(), text.size());
    static_cast<char*>(room.value)[text.size()] = 0;
    return CL_SUCCESS;
}

/// Sets the code of a function that makes an object, and returns null in the place of the object.
inline std::nullptr_t refused(cl_int* code, cl_int why) noexcept {
    if (code) *code = why;
    return nullptr;
}

/// Catches exceptions: none may be thrown into an application.
template <class F>
cl_int guarded(F&& body) noexcept {
    try {
        return body();
    } catch (...) {
        return CL_OUT_OF_HOST_MEMORY;
    }
}
template <class F>
auto making(cl_int* code, F&& body) noexcept -> decltype(body()) {
    try {
        const auto made = body();
        if (made && code) *code = CL_SUCCESS;
        return made;
    } catch (...) {
        return refused(code, CL_OUT_OF_HOST_MEMORY);
    }
}

}  // namespace zetl::emulator::opencl
