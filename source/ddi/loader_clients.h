// What in this process calls the loader, and by which functions.
#pragma once

#include <link.h>

#include <string_view>

namespace zetl::ddi {

/// True if the object was linked to a shared loader. The dynamic linker has checked the tables that this reads.
bool isLinkedToLoader(const dl_phdr_info& object);

/// True if an object of this process that is linked to a shared loader refers to a function whose name begins with
/// `prefix`. Functions that a program looks up by name (dlsym) do not count, and neither does a loader inside a
/// program.
bool clientsRefer(std::string_view prefix) noexcept;

}  // namespace zetl::ddi
