#include "text/demangled.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace zetl::command {

std::string demangled(const std::string& name) {
    constexpr std::string_view kType = "typeinfo name for ";
    if (!name.starts_with("_Z")) return name;
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                       std::free);
    if (!plain || status != 0) return name;
    std::string_view text = plain.get();
    if (text.starts_with(kType)) text.remove_prefix(kType.size());
    return std::string(text);
}

}  // namespace zetl::command
