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

/// The extensions that tools look for before they call the functions.
std::span<const ze_driver_extension_properties_t> extensionsOfModules() noexcept;

}  // namespace zetl::composition
