#include "global_scope.h"

#include <dlfcn.h>

#include <algorithm>

namespace zetl::layer {
namespace {

constinit thread_local bool forwarding = false;

/// The address of that name in the process's global scope, to which a loader's reference to it is bound.
void* global(const char* name) noexcept {
    void* program = dlopen(nullptr, RTLD_LAZY);
    if (!program) return nullptr;
    void* found = dlsym(program, name);
    dlclose(program);
    return found;
}

}  // namespace

Forwarding::Forwarding() noexcept { forwarding = true; }
Forwarding::~Forwarding() { forwarding = false; }

Getter meantGetter(ddi::Table table, const ddi::SharedObject& caller, void* const* entries,
                   std::size_t usable) noexcept {
    if (forwarding || std::any_of(entries, entries + usable, [](const void* each) { return each != nullptr; }))
        return nullptr;
    const auto self = ddi::SharedObject::holding(reinterpret_cast<const void*>(&meantGetter));
    const char* name = ddi::getter(table);
    if (caller == self || ddi::SharedObject::holding(global(name)) != self) return nullptr;
    return reinterpret_cast<Getter>(caller.symbol(name));
}

}  // namespace zetl::layer
