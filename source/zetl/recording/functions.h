// The functions that zetl records, read from their rows.
#pragma once

#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include "recording/function_rows.h"

namespace zetl::command {

/// How an argument is read and shown. In a row, the letter follows the argument's name.
enum class Kind : char {
    handle = 'h',
    pointer = 'p',
    number = 'n',    // 32 bit
    number64 = 'N',  // 64 bit, size_t
    flags = 'f',     // 32 bit, shown in hexadecimal
    enumerator = 'e',
    boolean = 'b',
    structure = 's',          // by value: not recorded
    text = 't',               // const char*
    groups = 'g',             // const ze_group_count_t*
    kernelDescription = 'k',  // const ze_kernel_desc_t*: the kernel's name
    out = 'o',                // pointer to a handle or pointer: its value after success
    outCount = 'c',           // uint32_t*: its value after success
    outNumber64 = 'q',        // uint64_t* or size_t*: likewise
};

/// Words of 64 bits that an argument of this kind takes in a record.
constexpr std::uint16_t wordsOf(Kind kind) {
    switch (kind) {
        case Kind::structure:
            return 0;
        case Kind::groups:
            return 2;
        case Kind::text:
        case Kind::kernelDescription:
            return 8;
        default:
            return 1;
    }
}

/// Bytes of the argument's value, if the recording has that of before the call; else 0.
constexpr std::uint16_t passedBytes(Kind kind) {
    switch (kind) {
        case Kind::handle:
        case Kind::pointer:
        case Kind::number64:
            return 8;
        case Kind::number:
        case Kind::flags:
        case Kind::enumerator:
            return 4;
        case Kind::boolean:
            return 1;
        default:
            return 0;
    }
}

/// Whether the argument is a pointer, and what it points to after the call is recorded.
constexpr bool isPointedTo(Kind kind) {
    switch (kind) {
        case Kind::out:
        case Kind::outNumber64:
        case Kind::outCount:
        case Kind::text:
        case Kind::groups:
        case Kind::kernelDescription:
            return true;
        default:
            return false;
    }
}

struct Argument {
    std::string_view name;
    Kind kind;
    std::uint16_t words = wordsOf(kind);  // read at each call
};

/// What a row says without its names.
struct FunctionFacts {
    bool returnsValue = false;  // instead of a ze_result_t
    bool isProbe = false;       // programs ask whether something exists, and continue without it
    bool pointsTo = false;      // isPointedTo() some argument
    std::uint16_t words = 0;    // of the arguments in a record
    std::uint16_t count = 0;    // of the arguments

    /// Whether a call that returned `result` counts as an error. NOT_READY does not: it is an answer.
    constexpr bool isError(std::uint64_t result) const noexcept {
        constexpr std::uint32_t kSuccess = 0;
        constexpr std::uint32_t kNotReady = 1;
        const auto code = static_cast<std::uint32_t>(result);
        return !returnsValue && !isProbe && code != kSuccess && code != kNotReady;
    }
};

/// Calls `visit` with each argument's name and kind.
template <class Visit>
constexpr void eachArgument(std::string_view arguments, Visit visit) {
    while (!arguments.empty()) {
        const auto word = arguments.substr(0, arguments.find(' '));
        visit(word.substr(0, word.size() - 2), Kind(word.back()));
        arguments.remove_prefix(word.size() < arguments.size() ? word.size() + 1 : word.size());
    }
}

constexpr FunctionFacts factsOf(const FunctionRow& row) {
    FunctionFacts facts{.returnsValue = row.name.ends_with('='), .isProbe = row.name.ends_with('?')};
    eachArgument(row.arguments, [&](std::string_view, Kind kind) {
        facts.words = static_cast<std::uint16_t>(facts.words + wordsOf(kind));
        facts.pointsTo = facts.pointsTo || isPointedTo(kind);
        ++facts.count;
    });
    return facts;
}

struct Function : FunctionFacts {
    std::string_view name;  // such as zeMemAllocDevice
    std::vector<Argument> arguments;
};

inline constexpr std::size_t kFunctions = std::size(kFunctionRows);

/// All rows, read once. Never destroyed, because calls may come while the process exits.
std::span<const Function> functions();

}  // namespace zetl::command
