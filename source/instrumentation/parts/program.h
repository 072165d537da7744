// A native binary, taken apart: the common part of programs of every instruction set.
#pragma once

#include <ze_tools_layer/instrumentation.h>

#include <vector>

#include "binary/outcome.h"

namespace zetl::instrumentation {

struct Program::Content {
    Content() = default;
    Content(const Content&) = delete;
    Content& operator=(const Content&) = delete;
    virtual ~Content() = default;

    std::vector<Section> sections;

    /// unsupported: the container cannot be changed.
    virtual binary::Outcome<std::vector<std::uint8_t>> write() const = 0;
};

}  // namespace zetl::instrumentation
