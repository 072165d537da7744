#include "correlation/elfutils.h"

#include <dlfcn.h>

#include <optional>

#include "base/log.h"

namespace zetl::correlation {
namespace {

template <class F>
bool find(void* library, const char* name, F& function) noexcept {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

std::optional<Elfutils> open() {
    constexpr const char* kLibrary = "libdw.so.1";
    void* dw = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);  // loads libelf, too, which dlsym searches
    Elfutils f{};
    if (dw && find(dw, "elf_version", f.version) && find(dw, "elf_memory", f.memory) && find(dw, "elf_end", f.end) &&
        find(dw, "dwarf_begin_elf", f.begin) && find(dw, "dwarf_end", f.close) &&
        find(dw, "dwarf_get_units", f.units) && find(dw, "dwarf_getsrclines", f.lines) &&
        find(dw, "dwarf_next_lines", f.nextLines) && find(dw, "dwarf_onesrcline", f.line) &&
        find(dw, "dwarf_lineaddr", f.address) && find(dw, "dwarf_lineendsequence", f.endsSequence) &&
        find(dw, "dwarf_lineno", f.number) && find(dw, "dwarf_linecol", f.column) &&
        find(dw, "dwarf_linesrc", f.file) && find(dw, "dwarf_linebeginstatement", f.beginsStatement) &&
        find(dw, "dwarf_dieoffset", f.offset) && find(dw, "dwarf_offdie", f.entry) &&
        find(dw, "dwarf_getscopes", f.scopes) && find(dw, "dwarf_getscopes_die", f.scopesOfDie) &&
        find(dw, "dwarf_tag", f.tag) && find(dw, "dwarf_diename", f.name) &&
        find(dw, "dwarf_attr_integrate", f.attribute) && find(dw, "dwarf_formudata", f.number64) &&
        find(dw, "dwarf_getsrcfiles", f.files) && find(dw, "dwarf_filesrc", f.fileName))
        return f;
    log::warn(log::Channel::pin, "no source lines: {} cannot be used; install libdw1", kLibrary);
    return std::nullopt;
}

}  // namespace

const Elfutils* elfutils() {
    static const std::optional<Elfutils> opened = open();
    return opened ? &*opened : nullptr;
}

}  // namespace zetl::correlation
