// elfutils, opened when source lines are first wanted: a library that lives in other people's processes should not load
// libraries that most of them never need.
#pragma once

#include <elfutils/libdw.h>
#include <libelf.h>

namespace zetl::correlation {

struct Elfutils {
    decltype(&::elf_version) version;
    decltype(&::elf_memory) memory;
    decltype(&::elf_end) end;
    decltype(&::dwarf_begin_elf) begin;
    decltype(&::dwarf_end) close;
    decltype(&::dwarf_get_units) units;
    decltype(&::dwarf_getsrclines) lines;
    decltype(&::dwarf_next_lines) nextLines;
    decltype(&::dwarf_onesrcline) line;
    decltype(&::dwarf_lineaddr) address;
    decltype(&::dwarf_lineendsequence) endsSequence;
    decltype(&::dwarf_lineno) number;
    decltype(&::dwarf_linecol) column;
    decltype(&::dwarf_linesrc) file;
    decltype(&::dwarf_linebeginstatement) beginsStatement;
    decltype(&::dwarf_dieoffset) offset;
    decltype(&::dwarf_offdie) entry;
    decltype(&::dwarf_getscopes) scopes;
    decltype(&::dwarf_getscopes_die) scopesOfDie;
    decltype(&::dwarf_tag) tag;
    decltype(&::dwarf_diename) name;
    decltype(&::dwarf_attr_integrate) attribute;
    decltype(&::dwarf_formudata) number64;
    decltype(&::dwarf_getsrcfiles) files;
    decltype(&::dwarf_filesrc) fileName;
};

/// Null if it cannot be opened, which is logged once. Thread-safe.
const Elfutils* elfutils();

}  // namespace zetl::correlation
