// One driver's description of itself for the parts that all drivers of the tree share.
#pragma once

#include "base/log.h"
#include "driver/tables.h"

namespace zetl::driver {

/// What helps instead of a function that is not offered.
struct Remedy {
    ddi::Function function;
    const char* text;  ///< with the cause
};

/// Constant for the life of the process.
struct Description {
    log::Channel log;        ///< channel of the driver's messages
    const char* notOffered;  ///< text for a refused function's message, with the page that lists what is offered
    Rows rows;               ///< the functions that are implemented
    std::span<const NamedFunction> named;
    std::span<const Remedy> remedies = {};  ///< in place of `notOffered`, for functions that programs look for
};

}  // namespace zetl::driver

/// Each driver defines it. It has a C name, so that the link of a static library can ask for it (CMakeLists.txt).
extern "C" const zetl::driver::Description* zetlDriverDescription() noexcept;

namespace zetl::driver {

inline const Description& description() noexcept { return *zetlDriverDescription(); }

}  // namespace zetl::driver
