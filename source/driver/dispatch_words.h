// The head of every handle: where the loader finds the tables that serve it.
#pragma once

namespace zetl::driver {

/// Pointers to the driver's core, tools, sysman and runtime tables (ZE_extension_driver_ddi_handles 1.1). The
/// pointed-to records live as long as the process.
struct DispatchWords {
    const void* core;
    const void* tools;
    const void* sysman;
    const void* runtime;
};

/// The words of this driver's objects; the same for all of them.
DispatchWords dispatchWords() noexcept;

}  // namespace zetl::driver
