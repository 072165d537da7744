#include "emulator/driver/program/source_line.h"

#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <fmt/format.h>
#include <libelf.h>

#include <memory>
#include <optional>

#include "base/log.h"
#include "emulator/driver/program/module.h"
#include "emulator/module/debug_image.h"

namespace zetl::emulator::driver {
namespace {

/// elfutils, opened when a source line is wanted first: a driver that lives in other people's processes brings no
/// library that most of them never need.
struct Elfutils {
    decltype(&::elf_version) version;
    decltype(&::elf_memory) memory;
    decltype(&::elf_end) end;
    decltype(&::dwarf_begin_elf) begin;
    decltype(&::dwarf_end) close;
    decltype(&::dwarf_get_units) units;
    decltype(&::dwarf_getsrclines) lines;
    decltype(&::dwarf_onesrcline) line;
    decltype(&::dwarf_lineaddr) address;
    decltype(&::dwarf_lineendsequence) endsSequence;
    decltype(&::dwarf_lineno) number;
    decltype(&::dwarf_linesrc) file;
};

template <class F>
bool find(void* library, const char* name, F& function) noexcept {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

std::optional<Elfutils> openElfutils() {
    constexpr const char* kLibrary = "libdw.so.1";
    void* dw = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);  // and with it libelf, which dlsym finds behind it
    Elfutils f{};
    if (dw && find(dw, "elf_version", f.version) && find(dw, "elf_memory", f.memory) && find(dw, "elf_end", f.end) &&
        find(dw, "dwarf_begin_elf", f.begin) && find(dw, "dwarf_end", f.close) &&
        find(dw, "dwarf_get_units", f.units) && find(dw, "dwarf_getsrclines", f.lines) &&
        find(dw, "dwarf_onesrcline", f.line) && find(dw, "dwarf_lineaddr", f.address) &&
        find(dw, "dwarf_lineendsequence", f.endsSequence) && find(dw, "dwarf_lineno", f.number) &&
        find(dw, "dwarf_linesrc", f.file))
        return f;
    log::warn(log::Module::emulator, "no source lines: {} cannot be used; install libdw1", kLibrary);
    return std::nullopt;
}

const std::optional<Elfutils>& elfutils() {
    static const std::optional<Elfutils> opened = openElfutils();
    return opened;
}

using OpenElf = std::unique_ptr<Elf, decltype(&elf_end)>;
using OpenDwarf = std::unique_ptr<Dwarf, decltype(&dwarf_end)>;

/// The row of a unit's line table that covers the address; null if none does.
Dwarf_Line* lineOf(const Elfutils& dw, Dwarf_Die& unit, Dwarf_Addr address) {
    Dwarf_Lines* lines = nullptr;
    std::size_t count = 0;
    if (dw.lines(&unit, &lines, &count) != 0) return nullptr;
    for (std::size_t i = 0; i + 1 < count; ++i) {
        Dwarf_Line* line = dw.line(lines, i);
        Dwarf_Addr from = 0, to = 0;
        bool ends = false;
        dw.address(line, &from);
        dw.address(dw.line(lines, i + 1), &to);
        dw.endsSequence(line, &ends);
        if (!ends && from <= address && address < to) return line;
    }
    return nullptr;
}

}  // namespace

std::string sourceLine(const Module& module, std::uint64_t address) {
    if (!module.image().hasDebugData) return {};
    auto image = module::makeDebugImage(module.linked());
    if (!image) return {};
    if (!elfutils()) return {};
    const Elfutils& dw = *elfutils();
    dw.version(EV_CURRENT);
    const OpenElf elf(dw.memory(reinterpret_cast<char*>(image->data()), image->size()), dw.end);
    if (!elf) return {};
    const OpenDwarf dwarf(dw.begin(elf.get(), DWARF_C_READ, nullptr), dw.close);
    if (!dwarf) return {};
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dw.units(dwarf.get(), unit, &unit, nullptr, nullptr, &die, nullptr) == 0)
        if (Dwarf_Line* line = lineOf(dw, die, address)) {
            int number = 0;
            dw.number(line, &number);
            const char* file = dw.file(line, nullptr, nullptr);
            return fmt::format("{}:{}", file ? file : "?", number);
        }
    return {};
}

}  // namespace zetl::emulator::driver
