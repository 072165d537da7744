// The value of a fallible operation inside the project: a T or the ze_result_t that explains its absence.
#pragma once

#include <level_zero/ze_api.h>

#include <cassert>
#include <utility>

#include "base/expected.h"

namespace zetl {

/// A T, or the reason why there is none. The reason is never ZE_RESULT_SUCCESS.
template <class T>
class [[nodiscard]] Result : public Expected<T, ze_result_t> {
  public:
    Result(T value) : Expected<T, ze_result_t>(std::move(value)) {}
    Result(ze_result_t reason) : Expected<T, ze_result_t>(reason) { assert(reason != ZE_RESULT_SUCCESS); }

    ze_result_t code() const noexcept { return *this ? ZE_RESULT_SUCCESS : this->reason(); }
};

/// An operation without a value returns the bare code.
using Status = ze_result_t;

}  // namespace zetl
