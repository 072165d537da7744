// Puts the tools modules behind a driver's own zet tables, so that a program that loads no layer reaches them. For the
// shared library of a driver that offers device access.
#pragma once

#include <level_zero/ze_api.h>
#include <ze_tools_layer/device_access.h>

#include <span>

namespace zetl::composition {

/// Puts the modules, on `provider`, behind the zet tables, and makes them after each successful initialisation. Call it
/// once per process, before the first getter runs. Throws bad_alloc.
void serveModules(const zetl_device_access_t& provider);

/// Lets programs find the functions of Intel's driver that the modules have (tools/named_functions.def), by name. For a
/// driver in the place of Intel's, after serveModules.
void serveNamesOfIntel();

/// The extensions that tools look for before they call the functions.
std::span<const ze_driver_extension_properties_t> extensionsOfModules() noexcept;
/// Those of Intel's driver beside them.
std::span<const ze_driver_extension_properties_t> extensionsOfIntel() noexcept;

}  // namespace zetl::composition
