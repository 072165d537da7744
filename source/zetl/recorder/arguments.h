// Reads the arguments of a traced call into its record.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "recording/functions.h"

namespace zetl::recorder {

/// The first argument of a tracer callback: the addresses of the call's arguments, in order.
using Parameters = const void* const*;

/// Reads an argument that is passed by value.
template <command::Kind kind>
[[gnu::always_inline]] inline void readOne(const void* address, std::uint64_t*& payload) noexcept {
    // The payload is zero.
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(payload, address, command::passedBytes(kind));
    payload += command::wordsOf(kind);
}

/// The kinds of the arguments of function N.
template <std::size_t N>
constexpr auto kKinds = [] {
    constexpr const auto& row = command::kFunctionRows[N];
    std::array<command::Kind, command::factsOf(row).count> kinds{};
    auto* next = kinds.data();
    command::eachArgument(row.arguments, [&](std::string_view, command::Kind kind) { *next++ = kind; });
    return kinds;
}();

/// Reads, before the call of function N, everything that is passed by value. A device may be waiting for the call, so
/// each function has code of its own.
template <std::size_t N>
[[gnu::always_inline]] inline void readPassed(Parameters parameters, std::uint64_t* payload) noexcept {
    [&]<std::size_t... I>(std::index_sequence<I...>) { (readOne<kKinds<N>[I]>(parameters[I], payload), ...); }
    (std::make_index_sequence<kKinds<N>.size()>());
}

/// Reads, after success, what the driver wrote and read (names, group counts). Only then are the caller's pointers
/// known to be valid.
void readPointed(const command::Function& function, Parameters parameters, std::uint64_t* payload) noexcept;

}  // namespace zetl::recorder
