// Atomics whose order only the work-items of one group see, as a program asks for with memory_scope_work_group. Machine
// code does not show the scope of an atomic.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>

namespace zetl::binary {

using CodeLine = std::pair<std::string, std::uint32_t>;  ///< a file as the compiler names it, and a line of it

/// The lines of the source that have such atomics and no others. Atomics without an order are among the others: that
/// may be one of OpenCL C 1, for which compilers write the same. Empty for a module without lines, or that is damaged.
std::set<CodeLine> linesOfGroupAtomics(std::span<const std::uint8_t> module);

}  // namespace zetl::binary
