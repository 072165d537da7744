// The common beginning of functions that take an open stream, for every kind of stream.
#pragma once

#include "base/id_table.h"
#include "nvidia/access/sections.h"

namespace zetl::nvidia::access {

/// Calls `body` with the stream of that id in the process's table: GONE if there is none, LOST in a forked child.
template <class Table, class F>
zetl_status_t onStream(zetl_stream_t id, F&& body) noexcept {
    return atWork([&] {
        const auto stream = Table::instance().find(id);
        return stream ? body(*stream) : ZETL_GONE;
    });
}

}  // namespace zetl::nvidia::access
