#include "correlation/debug_lines.h"

#include <dwarf.h>

#include <cstdlib>

#include "correlation/elfutils.h"

namespace zetl::correlation {
namespace {

/// The row of a line table that covers the address; null if none does.
Dwarf_Line* rowOf(const Elfutils& dw, Dwarf_Lines* lines, std::size_t count, Dwarf_Addr address) {
    for (std::size_t i = 0; i + 1 < count; ++i) {
        Dwarf_Line* line = dw.line(lines, i);
        Dwarf_Addr from = 0;
        Dwarf_Addr to = 0;
        bool ends = false;
        dw.address(line, &from);
        dw.address(dw.line(lines, i + 1), &to);
        dw.endsSequence(line, &ends);
        if (!ends && from <= address && address < to) return line;
    }
    return nullptr;
}

Dwarf_Line* lineOf(const Elfutils& dw, Dwarf_Die& unit, Dwarf_Addr address) {
    Dwarf_Lines* lines = nullptr;
    std::size_t count = 0;
    return dw.lines(&unit, &lines, &count) == 0 ? rowOf(dw, lines, count, address) : nullptr;
}

/// The same in tables that belong to no unit: compilers that were asked for line tables only write no other DWARF.
Dwarf_Line* lineWithoutUnit(const Elfutils& dw, Dwarf* dwarf, Dwarf_Addr address) {
    Dwarf_Off offset = 0;
    Dwarf_CU* unit = nullptr;
    Dwarf_Files* files = nullptr;
    std::size_t fileCount = 0;
    Dwarf_Lines* lines = nullptr;
    std::size_t count = 0;
    while (dw.nextLines(dwarf, offset, &offset, &unit, &files, &fileCount, &lines, &count) == 0)
        if (auto* const row = unit ? nullptr : rowOf(dw, lines, count, address)) return row;
    return nullptr;
}

Place placeOf(const Elfutils& dw, Dwarf_Line* line) {
    Place place;
    dw.number(line, &place.line);
    dw.column(line, &place.column);
    if (const char* file = dw.file(line, nullptr, nullptr)) place.file = file;
    return place;
}

int numberOf(const Elfutils& dw, Dwarf_Die& die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (!dw.attribute(&die, name, &attribute) || dw.number64(&attribute, &value) != 0) return 0;
    return static_cast<int>(value);
}

/// Where an inlined function was called.
Place callOf(const Elfutils& dw, Dwarf_Die& unit, Dwarf_Die& inlined) {
    Place place;
    place.line = numberOf(dw, inlined, DW_AT_call_line);
    place.column = numberOf(dw, inlined, DW_AT_call_column);
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    const auto file = static_cast<std::size_t>(numberOf(dw, inlined, DW_AT_call_file));
    if (dw.files(&unit, &files, &count) != 0 || file >= count) return place;
    if (const char* name = dw.fileName(files, file, nullptr, nullptr)) place.file = name;
    return place;
}

}  // namespace

struct DebugLines::Opened {
    std::vector<std::uint8_t> bytes;
    const Elfutils& dw;
    Elf* elf = nullptr;
    Dwarf* dwarf = nullptr;

    Opened(std::vector<std::uint8_t> file, const Elfutils& functions) : bytes(std::move(file)), dw(functions) {
        dw.version(EV_CURRENT);
        elf = dw.memory(reinterpret_cast<char*>(bytes.data()), bytes.size());
        if (elf) dwarf = dw.begin(elf, DWARF_C_READ, nullptr);
    }
    ~Opened() {
        if (dwarf) dw.close(dwarf);
        if (elf) dw.end(elf);
    }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;
};

DebugLines::DebugLines(std::unique_ptr<Opened> opened) : opened_(std::move(opened)) {}
DebugLines::~DebugLines() = default;

std::unique_ptr<DebugLines> DebugLines::open(std::vector<std::uint8_t> elf) {
    const Elfutils* const functions = elfutils();
    if (!functions) return nullptr;
    auto opened = std::make_unique<Opened>(std::move(elf), *functions);
    if (!opened->dwarf) return nullptr;
    return std::unique_ptr<DebugLines>(new DebugLines(std::move(opened)));
}

bool DebugLines::hasRows() const {
    Dwarf_Off offset = 0;
    Dwarf_CU* unit = nullptr;
    Dwarf_Files* files = nullptr;
    std::size_t fileCount = 0;
    Dwarf_Lines* lines = nullptr;
    std::size_t count = 0;
    while (opened_->dw.nextLines(opened_->dwarf, offset, &offset, &unit, &files, &fileCount, &lines, &count) == 0)
        if (count > 0) return true;
    return false;
}

std::vector<Place> DebugLines::at(std::uint64_t address) const {
    const Elfutils& dw = opened_->dw;
    Dwarf_CU* unit = nullptr;
    Dwarf_Die die;
    std::vector<Place> places;
    while (places.empty() && dw.units(opened_->dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0)
        if (Dwarf_Line* line = lineOf(dw, die, address)) places.push_back(placeOf(dw, line));
    if (places.empty()) {
        if (Dwarf_Line* line = lineWithoutUnit(dw, opened_->dwarf, address)) places.push_back(placeOf(dw, line));
        return places;
    }
    // The scopes of an address are those of its function in the source; the scopes of the innermost one are those into
    // which it was inlined.
    Dwarf_Die* innermost = nullptr;
    Dwarf_Die* scopes = nullptr;
    const int count = dw.scopes(&die, address, &innermost) > 0 ? dw.scopesOfDie(innermost, &scopes) : 0;
    for (int i = 0; i < count; ++i) {
        const int tag = dw.tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
        if (const char* name = dw.name(&scopes[i])) places.back().function = name;
        if (tag == DW_TAG_subprogram) break;
        places.push_back(callOf(dw, die, scopes[i]));
    }
    std::free(innermost);
    std::free(scopes);
    return places;
}

}  // namespace zetl::correlation
