// The names by which modules of PTX know each other.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace zetl::compiler {

/// A constant of modules whose kernels have three more parameters of 32 bits than the program knows, the last ones: the
/// global offset.
inline constexpr const char* kTakesGlobalOffset = "zetl_takes_global_offset";

using SymbolNames = std::set<std::string, std::less<>>;

struct PtxSymbols {
    SymbolNames imports;    ///< functions and variables that another module has to define
    SymbolNames functions;  ///< defined, and visible to other modules
    SymbolNames variables;  ///< the same; of global and constant memory

    bool exports(std::string_view name) const { return functions.contains(name) || variables.contains(name); }
};

/// Without what NVIDIA's driver itself defines: vprintf, malloc, free and __assertfail.
PtxSymbols symbolsOf(std::string_view ptx);

}  // namespace zetl::compiler
