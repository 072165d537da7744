#include "binary/module_image.h"

#include <algorithm>

#include "binary/special_symbols.h"

namespace zetl::binary {

const KernelImage* ModuleImage::kernel(std::string_view name) const noexcept {
    const auto found = std::ranges::find(kernels, name, &KernelImage::name);
    return found == kernels.end() ? nullptr : &*found;
}

std::vector<std::string> ModuleImage::imports() const {
    std::vector<std::string> names;
    for (const Symbol& symbol : symbols)
        if (symbol.undefined && !isSpecialSymbol(symbol.name) && std::ranges::find(names, symbol.name) == names.end())
            names.push_back(symbol.name);
    return names;
}

}  // namespace zetl::binary
