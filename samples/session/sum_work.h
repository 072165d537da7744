// Work for the samples that measure: a kernel that adds two vectors, in a given number of work-groups.
#pragma once

#include <cstdint>

#include "session/session.h"

namespace session {

struct SumWork {
    static constexpr std::uint32_t kGroupSize = 64;

    SumWork(const Session& session, std::uint32_t groups);

    Kernel kernel;
    Buffer a;
    Buffer b;
    Buffer sum;
    ze_group_count_t groups;

    void append(ze_command_list_handle_t list) const;
};

}  // namespace session
