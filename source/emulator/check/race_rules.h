// What orders two accesses: the rules by which marks of memory are judged, and by which they change.
#pragma once

#include <cstdint>

#include "emulator/check/group_state.h"
#include "emulator/check/mark.h"

namespace zetl::emulator::check {

/// Of a thread of the group, in a launch of that command, at its present epoch. Of no bytes yet.
Mark markOf(const GroupState& group, std::uint32_t thread, std::uint64_t command) noexcept;

/// The bytes of [first, first + bytes) that are in the granule, as in a mark.
std::uint8_t bytesIn(std::uint64_t granule, std::uint64_t first, std::uint64_t bytes) noexcept;

/// Whether both access the same bytes, and not both by atomics. The caller knows that one of them writes.
bool conflict(const Mark& before, const Mark& now) noexcept;

/// The number of the mark's command, which is near that of the command that looks at it.
std::uint64_t commandOf(const Mark& mark, std::uint64_t now) noexcept;

/// Whether nothing orders two commands, of which one left the mark. Launches that are of no command are ordered.
bool isUnordered(const Mark& before, const CommandRecord* now) noexcept;

/// Whether nothing orders what the mark shows and the accesses of `now`, which conflict.
bool isRace(const Mark& before, bool wasWrite, const Mark& now, const GroupState& group, Memory memory) noexcept;

/// A writer's mark may stand for an atomic, and for a write of the same group before it that was none. This is the mark
/// that `now` races with.
Mark seenBy(const Mark& writer, const Mark& now) noexcept;

/// The mark of a writer that comes after another one.
Mark writerAfter(const Mark& before, const Mark& now, const GroupState& group, Memory memory) noexcept;

/// The mark of readers, one more among them, which is of this group. Readers of another command stay, if nothing orders
/// the two: kernels often read what they are about to write. Of the host one byte is known.
Mark joined(const Mark& readers, const Mark& one, const GroupState& group, Memory memory) noexcept;

}  // namespace zetl::emulator::check
