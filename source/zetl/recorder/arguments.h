// Reads the arguments of a traced call into its record.
#pragma once

#include <cstdint>

#include "recording/functions.h"

namespace zetl::recorder {

/// The first argument of a tracer callback: the addresses of the call's arguments, in order.
using Parameters = const void* const*;

/// Reads, before the call, everything that is passed by value.
void readPassed(const command::Function& function, Parameters parameters, std::uint64_t* payload) noexcept;

/// Reads, after success, what the driver wrote and read (names, group counts). Only then are the caller's pointers
/// known to be valid.
void readPointed(const command::Function& function, Parameters parameters, std::uint64_t* payload) noexcept;

}  // namespace zetl::recorder
