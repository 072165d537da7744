// The tools modules behind a driver's own zet tables, so that a program that takes no layer slot reaches them. For the
// shared library of a driver that presents itself as device access.
#pragma once

#include <level_zero/ze_api.h>
#include <ze_tools_layer/device_access.h>

#include <span>

namespace zetl::composition {

/// Puts the modules on `provider` behind the zet tables, and makes them after each initialisation that succeeds. Once a
/// process, before the first getter answers. Throws bad_alloc.
void serveModules(const zetl_device_access_t& provider);

/// What tools look for before they call the functions.
std::span<const ze_driver_extension_properties_t> extensionsOfModules() noexcept;

}  // namespace zetl::composition
