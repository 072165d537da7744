#include "correlation/debug_lines.h"

#include <dwarf.h>

#include <cstdlib>

#include "correlation/elfutils.h"
#include "correlation/line_rows.h"

namespace zetl::correlation {
namespace {

Place placeOf(const LineRow& row) {
    Place place{.function = {}, .file = {}, .line = row.line, .column = row.column};
    if (row.file) place.file = row.file;
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
    std::vector<LineRow> rows;

    Opened(std::vector<std::uint8_t> file, const Elfutils& functions) : bytes(std::move(file)), dw(functions) {
        dw.version(EV_CURRENT);
        elf = dw.memory(reinterpret_cast<char*>(bytes.data()), bytes.size());
        if (elf) dwarf = dw.begin(elf, DWARF_C_READ, nullptr);
        if (dwarf) rows = readLineRows(dw, dwarf);
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

bool DebugLines::hasRows() const { return !opened_->rows.empty(); }

std::vector<Place> DebugLines::at(std::uint64_t address) const {
    const Elfutils& dw = opened_->dw;
    std::vector<Place> places;
    const LineRow* const row = rowAt(opened_->rows, address);
    if (!row) return places;
    places.push_back(placeOf(*row));
    Dwarf_Die die;
    if (row->unit == LineRow::kNoUnit || !dw.entry(opened_->dwarf, row->unit, &die)) return places;
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
