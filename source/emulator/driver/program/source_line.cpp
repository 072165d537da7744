#include "emulator/driver/program/source_line.h"

#include <elfutils/libdw.h>
#include <fmt/format.h>
#include <libelf.h>

#include <memory>

#include "emulator/driver/program/module.h"
#include "emulator/module/debug_image.h"

namespace zetl::emulator::driver {
namespace {

using OpenElf = std::unique_ptr<Elf, decltype(&elf_end)>;
using OpenDwarf = std::unique_ptr<Dwarf, decltype(&dwarf_end)>;

/// The row of a unit's line table that covers the address; null if none does.
Dwarf_Line* lineOf(Dwarf_Die& unit, Dwarf_Addr address) {
    Dwarf_Lines* lines = nullptr;
    std::size_t count = 0;
    if (dwarf_getsrclines(&unit, &lines, &count) != 0) return nullptr;
    for (std::size_t i = 0; i + 1 < count; ++i) {
        Dwarf_Line* line = dwarf_onesrcline(lines, i);
        Dwarf_Addr from = 0, to = 0;
        bool ends = false;
        dwarf_lineaddr(line, &from);
        dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &to);
        dwarf_lineendsequence(line, &ends);
        if (!ends && from <= address && address < to) return line;
    }
    return nullptr;
}

}  // namespace

std::string sourceLine(const Module& module, std::uint64_t address) {
    if (!module.image().hasDebugData) return {};
    auto image = module::makeDebugImage(module.linked());
    if (!image) return {};
    elf_version(EV_CURRENT);
    const OpenElf elf(elf_memory(reinterpret_cast<char*>(image->data()), image->size()), elf_end);
    if (!elf) return {};
    const OpenDwarf dwarf(dwarf_begin_elf(elf.get(), DWARF_C_READ, nullptr), dwarf_end);
    if (!dwarf) return {};
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    while (dwarf_get_units(dwarf.get(), unit, &unit, nullptr, nullptr, &die, nullptr) == 0)
        if (Dwarf_Line* line = lineOf(die, address)) {
            int number = 0;
            dwarf_lineno(line, &number);
            const char* file = dwarf_linesrc(line, nullptr, nullptr);
            return fmt::format("{}:{}", file ? file : "?", number);
        }
    return {};
}

}  // namespace zetl::emulator::driver
