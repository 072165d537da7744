// Objects of every kind of the emulated GPU's driver, and their handles by kind.
#pragma once

#include <level_zero/zes_api.h>

#include <map>
#include <typeindex>
#include <vector>

#include "emulator/driver/entry/tables.h"
#include "fuzz/driver_api/rows.h"
#include "ze_tools_layer/level_zero.h"
#include "ze_tools_layer/level_zero/intel_metrics.h"

namespace zetl::test {

/// The driver's function of that name, without a loader.
#define DRIVER_FUNCTION(name) reinterpret_cast<decltype(&::name)>(::zetl::emulator::driver::servedFunction(#name))

/// Handles by the kind of their objects, live and destroyed ones.
class HandlePool {
  public:
    std::vector<void*>& of(std::type_index handle) { return handles_[objectKind(handle)]; }
    template <class H>
    std::vector<void*>& of() {
        return of(typeid(H));
    }
    template <class H>
    void add(H handle) {
        of<H>().push_back(handle);
    }
    /// The handle that was added last.
    template <class H>
    H last() {
        return of<H>().empty() ? nullptr : static_cast<H>(of<H>().back());
    }
    const std::map<std::type_index, std::vector<void*>>& all() const { return handles_; }

  private:
    std::map<std::type_index, std::vector<void*>> handles_;
};

/// What describes a native program with one kernel, step(global int*, int, int), for Xe-HPC and Xe2.
ze_module_desc_t testProgram();

/// Starts the driver, core and sysman, and adds what exists without being made: driver, devices, tiles, vertices and
/// edges of the fabric, the parts that sysman lists, and traced metrics with their scopes.
void addLasting(HandlePool& pool);

/// Adds one new object of every kind of the driver that the first device has; of images and samplers none if it has no
/// images.
void addObjects(HandlePool& pool);

/// Adds a tracer, its decoder and a calculation operation. A device has one tracer: of the first device that has none.
void addTracer(HandlePool& pool);

/// Destroys what of the pool is still alive.
void destroyObjects(HandlePool& pool);

}  // namespace zetl::test
