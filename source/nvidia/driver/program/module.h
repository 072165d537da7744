// ze_module_handle_t (core specification, "Modules").
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/once.h"
#include "base/synchronized.h"
#include "driver/linkage.h"
#include "nvidia/driver/device/context.h"
#include "nvidia/driver/program/door.h"
#include "nvidia/driver/program/loaded_code.h"
#include "nvidia/driver/program/module_source.h"
#include "nvidia/driver/shared_parts.h"
#include "ze_tools_layer/level_zero.h"

namespace zetl::nvidia {

class Kernel;

/// A module on one device: given machine code, or code that NVIDIA's driver compiled from PTX, which may come from
/// SPIR-V. One that lacks functions or variables has no code until link() has found them in other modules. Thread-safe.
class Module : public Object<Module, ze_module_handle_t> {
  public:
    static constexpr const char* kNoun = "module";

    /// Appends the compilers' messages to `log`. The codes of readSource().
    static Result<std::shared_ptr<Module>> create(std::shared_ptr<Context> context, Context::Member place,
                                                  const ze_module_desc_t& description, std::string& log);
    /// Gives code to those that lack something: one image of all that they need, which they share. Other modules that
    /// define something for them share it, too, unless they are in use. MODULE_LINK_FAILURE if something is defined
    /// nowhere, or its module has variables and is in use; then no module changes.
    static Status link(std::span<const std::shared_ptr<Module>> modules, std::string& log);
    struct Parts {
        std::shared_ptr<Context> context;
        Context::Member place;
        ModuleSource source;
        std::shared_ptr<const LoadedCode> code;  ///< null: it waits for link()
    };
    explicit Module(Parts parts);

    const Context::Member& place() const noexcept { return place_; }
    /// Unique in the life of the process; never 0.
    std::uint64_t id() const noexcept { return id_; }
    /// Null while imports are missing.
    std::shared_ptr<const LoadedCode> code() const {
        return state_.read([](const State& state) { return state.code; });
    }
    const std::string& options() const noexcept { return source_.flags; }
    /// Whether a kernel's parameter is known to be a pointer to local memory.
    bool isLocal(std::string_view kernel, std::size_t parameter) const;
    /// The group size that a kernel must have; zeroes if none is known.
    std::array<std::uint32_t, 3> requiredGroup(std::string_view kernel) const;
    /// Call it before each launch; the first may wait for a debugger.
    void prepareLaunch() { launched_.call(waitAtDoor); }

    // The exported functions, without their first argument.
    /// INVALID_KERNEL_NAME, INVALID_MODULE_UNLINKED.
    Result<std::shared_ptr<Kernel>> createKernel(const ze_kernel_desc_t& description);
    /// The machine code; the PTX of a module that has none.
    Status getNativeBinary(std::size_t* size, std::uint8_t* out);
    Status getGlobalPointer(const char* name, std::size_t* size, void** pointer);
    Status getFunctionPointer(const char* name, void** pointer);
    Status getKernelNames(std::uint32_t* count, const char** names);
    Status getProperties(ze_module_properties_t* out);
    /// Adds its imports and exports.
    void addTo(driver::Linkage& linkage) const;

  private:
    /// The code, for a kernel or a pointer: from then on it stays the module's. Null while imports are missing.
    std::shared_ptr<const LoadedCode> use();
    struct Linked;
    /// Gives it code that several modules share.
    void take(std::shared_ptr<const LoadedCode> code);
    bool isUsed() const {
        return state_.read([](const State& state) { return state.used; });
    }

    const std::shared_ptr<Context> context_;
    const Context::Member place_;
    const ModuleSource source_;
    const std::uint64_t id_;
    struct State {
        std::shared_ptr<const LoadedCode> code;
        bool used = false;
    };
    Synchronized<State> state_;
    Once launched_;
};

}  // namespace zetl::nvidia
