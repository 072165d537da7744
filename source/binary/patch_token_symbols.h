// Symbols and relocations of the patch-token container (tokens 53 and 54), which name each other by text.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "binary/byte_view.h"
#include "binary/module_image.h"
#include "binary/outcome.h"

namespace zetl::binary {

/// Fills ModuleImage::symbols and ::relocations from the tables of one kernel after the other. A name that no table
/// defines stays an import. The places are checked later, by code that knows all sections.
class PatchTokenSymbols {
  public:
    explicit PatchTokenSymbols(ModuleImage& image) : image_(image) {}

    /// `tokens` is the kernel's whole token list; its offsets refer to `codeSection`.
    std::optional<Error> read(ByteView tokens, std::uint32_t codeSection);

  private:
    std::string where(std::string_view part, std::uint32_t codeSection) const;
    std::optional<Error> readSymbols(ByteView body, std::uint32_t codeSection);
    std::optional<Error> readRelocations(ByteView body, std::uint32_t codeSection);
    std::optional<Error> define(std::uint32_t type, Symbol& symbol, const Place& place);
    std::uint32_t indexOf(std::string_view name);

    ModuleImage& image_;
    std::map<std::string, std::uint32_t, std::less<>> indices_;
};

}  // namespace zetl::binary
