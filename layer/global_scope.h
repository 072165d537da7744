// Living in the global scope: linked directly by the application, or preloaded.
//
// The layer exports getters of the same names as the loader, and the loader reaches its own through the symbol table.
// Where the layer comes first in the global scope, the loader therefore calls the layer and means itself; taken for a
// layer's call, its tables would stay empty and the program crash.
#pragma once

#include <level_zero/ze_api.h>

#include "ddi/loader.h"

namespace zetl::layer {

using Getter = ze_result_t(ZE_APICALL*)(ze_api_version_t, void**);

/// The caller's own getter if that is what it meant to call: the layer stands before it in the global scope, and the
/// table is still empty. Null if it meant the layer. What the returned getter asks of the layer on this thread, before
/// the Forwarding object around it ends, is meant for the layer.
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
