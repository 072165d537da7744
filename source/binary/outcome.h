// The value of a fallible operation on a module: a T, or an Error that says what was wrong in words fit for a build
// log.
#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <utility>

#include "base/expected.h"

namespace zetl::binary {

/// Why a module cannot be used. The driver maps each cause to the code the specification names.
enum class Cause {
    damaged,          ///< the bytes contradict their format (INVALID_NATIVE_BINARY, or build failure for SPIR-V)
    unsupported,      ///< well formed, but asks for something this device does not offer; the message names it
    wrongDevice,      ///< compiled for another product or stepping
    limit,            ///< a size or count beyond the stated limits of this component
    badArgument,      ///< the caller's argument does not fit the module (argument index, size, constant id)
    unresolved,       ///< a symbol has no definition (MODULE_LINK_FAILURE)
    compilerMissing,  ///< libocloc cannot be loaded (DEPENDENCY_UNAVAILABLE)
    buildFailed,      ///< the compiler refused the source; the build log has its message (MODULE_BUILD_FAILURE)
};

/// A cause, and one line that names the part concerned, the value found and, if there is one, the remedy.
struct Error {
    Cause cause;
    std::string message;
};

/// The error of bytes that contradict their format. `where` names the format or the part of it.
inline Error damaged(std::string_view where, std::string_view what) {
    return {Cause::damaged, std::string(where).append(": ").append(what)};
}

/// A T or the Error that explains its absence.
template <class T>
class [[nodiscard]] Outcome : public Expected<T, Error> {
  public:
    using Expected<T, Error>::Expected;

    const Error& error() const& {
        assert(!*this);
        return this->reason();
    }
};

/// The value of an operation that returns none.
struct Done {};

}  // namespace zetl::binary
