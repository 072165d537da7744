// The common beginning of functions that take an open stream, for every kind of stream.
#pragma once

#include "base/id_table.h"
#include "emulator/access/device_ref.h"
#include "emulator/access/sections.h"

namespace zetl::emulator::access {

/// True in a forked child, where threads that the child does not have may hold any lock.
inline bool lost() { return !devices().empty() && devices().front()->machine().machine().lost(); }

/// Calls `body` with the stream of that id in the process's table: GONE if there is none, LOST in a forked child.
template <class Table, class F>
zetl_status_t onStream(zetl_stream_t id, F&& body) noexcept {
    return guarded([&] {
        if (lost()) return ZETL_LOST;
        const auto stream = Table::instance().find(id);
        return stream ? body(*stream) : ZETL_GONE;
    });
}

}  // namespace zetl::emulator::access
