// For a layer in the global scope: linked directly by the application, or preloaded.
//
// The layer exports getters of the same names as the loader, and the loader reaches its own through the symbol table.
// If the layer comes first in the global scope, a loader that means its own getter therefore calls the layer's. If that
// were answered like a call for a layer, the loader's tables would stay empty and the program would crash.
#pragma once

#include <level_zero/ze_api.h>

#include "ddi/loader.h"

namespace zetl::layer {

using Getter = ze_result_t(ZE_APICALL*)(ze_api_version_t, void**);

/// The caller's own getter if the caller meant that one: the layer comes before it in the global scope, and the table
/// is still empty. Null if the caller meant the layer. Calls of the returned getter to the layer on this thread, before
/// the Forwarding object around it ends, are meant for the layer.
Getter meantGetter(ddi::Table table, const ddi::SharedObject& caller, void* const* entries,
                   std::size_t usable) noexcept;

class Forwarding {
  public:
    Forwarding() noexcept;
    ~Forwarding();
    Forwarding(const Forwarding&) = delete;
    Forwarding& operator=(const Forwarding&) = delete;
};

}  // namespace zetl::layer
