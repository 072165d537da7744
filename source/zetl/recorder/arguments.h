// Reads the arguments of a traced call into its record.
#pragma once

#include <cstdint>

#include "functions.h"

namespace zetl::recorder {

/// What a tracer callback gets as its first argument: the addresses of the call's arguments, in order.
using Parameters = const void* const*;

/// Before the call: everything that is passed by value.
void readPassed(const command::Function& function, Parameters parameters, std::uint64_t* payload) noexcept;

/// After success: what the driver wrote, and what it was free to read (names, group counts). Only then are the caller's
/// pointers known to be good.
void readPointed(const command::Function& function, Parameters parameters, std::uint64_t* payload) noexcept;

}  // namespace zetl::recorder
