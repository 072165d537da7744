// The objects that exist of each type: a handle is valid exactly while its object is in the set of its type.
#pragma once

#include "base/live_set.h"
#include "base/never_destroyed.h"

namespace zetl::driver {

/// The set of all live T. Never destroyed: static objects of the host may still call the driver while the process
/// exits.
template <class T>
LiveSet<T>& live() {
    static NeverDestroyed<LiveSet<T>> set;
    return *set;
}

}  // namespace zetl::driver
