// Values of metrics as numbers.
#pragma once

#include <level_zero/zet_api.h>

namespace zetl::command {

/// Integers beyond 2^53 lose their last digits.
inline double numberOf(const zet_typed_value_t& value) {
    switch (value.type) {
        case ZET_VALUE_TYPE_FLOAT32:
            return static_cast<double>(value.value.fp32);
        case ZET_VALUE_TYPE_FLOAT64:
            return value.value.fp64;
        case ZET_VALUE_TYPE_UINT32:
            return value.value.ui32;
        case ZET_VALUE_TYPE_BOOL8:
            return value.value.b8 ? 1 : 0;
        default:
            return static_cast<double>(value.value.ui64);
    }
}

}  // namespace zetl::command
