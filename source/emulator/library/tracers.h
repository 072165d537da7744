// API tracing behind the emulated driver's own tables, for programs that load no layer (docs/reference/tracing.md).
#pragma once

namespace zetl::emulator::library {

/// Puts the zetTracerExp functions into the driver's tables and, if API tracing is switched on, the detours in front of
/// its core functions. Call it once, after everything else is in the tables. Throws bad_alloc.
void serveTracing();

}  // namespace zetl::emulator::library
