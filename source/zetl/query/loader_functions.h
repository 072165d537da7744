// Functions of the loader that the process has: this library is not linked to one.
#pragma once

#include <dlfcn.h>
#include <level_zero/zet_api.h>

#define ZETL_LOADER_MEMBER(name) decltype(&::name) name = nullptr;
#define ZETL_LOADER_FIND(name)                                                 \
    found.name = reinterpret_cast<decltype(found.name)>(dlsym(loader, #name)); \
    all = all && found.name;

/// A struct with the functions that FUNCTIONS(use) lists as use(function). Its find() returns null if there is no
/// loader, or the loader lacks one of them.
#define ZETL_LOADER_FUNCTIONS(Struct, FUNCTIONS)                                                    \
    struct Struct {                                                                                 \
        FUNCTIONS(ZETL_LOADER_MEMBER)                                                               \
        static const Struct* find() {                                                               \
            static Struct found;                                                                    \
            void* const loader = dlopen("libze_loader.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD); \
            if (!loader) return nullptr;                                                            \
            bool all = true;                                                                        \
            FUNCTIONS(ZETL_LOADER_FIND)                                                             \
            return all ? &found : nullptr;                                                          \
        }                                                                                           \
    };
