// What is known of a granule of memory: the same functions for local and for global memory.
#pragma once

#include <cstdint>

#include "emulator/check/local_marks.h"
#include "emulator/check/mark.h"
#include "emulator/check/shadow.h"
#include "emulator/isa/program.h"

namespace zetl::emulator::check {

/// What is known of a granule of global memory.
struct KnownOfGlobal {
    Cells& cells;
    std::uint64_t granule;

    Mark writer() const noexcept { return Mark::unpacked(cells.writers.mark(granule)); }
    Mark readers() const noexcept { return Mark::unpacked(cells.readers.mark(granule)); }
    isa::Line writeLine() const noexcept { return cells.writers.line(granule); }
    isa::Line readLine() const noexcept { return cells.readers.line(granule); }
    void read(const Mark& readers, isa::Line line) const noexcept {
        cells.readers.set(granule, readers.packed(), line);
    }
    void wrote(const Mark& writer, isa::Line line) const noexcept { cells.writers.set(granule, writer.packed(), line); }
};

/// The same, of local memory.
struct KnownOfLocal {
    LocalMarks& marks;
    std::uint64_t granule;
    const Mark& now;

    Mark writer() const noexcept { return marks.writer(granule, now); }
    Mark readers() const noexcept { return marks.readers(granule, now); }
    isa::Line writeLine() const noexcept { return marks.writeLine(granule); }
    isa::Line readLine() const noexcept { return marks.readLine(granule); }
    void read(const Mark& readers, isa::Line line) const noexcept {
        marks.setReaders(granule, readers);
        marks.setReadLine(granule, line);
    }
    void wrote(const Mark& writer, isa::Line line) const noexcept {
        marks.setWriter(granule, writer);
        marks.setWriteLine(granule, line);
    }
};

}  // namespace zetl::emulator::check
