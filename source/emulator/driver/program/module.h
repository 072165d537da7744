// ze_module_handle_t (core specification, "Modules").
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "driver/linkage.h"
#include "emulator/driver/shared_parts.h"
#include "emulator/machine/code_heap.h"
#include "emulator/module/link.h"

namespace zetl::emulator::driver {

class Context;
class Device;
struct BuiltModule;

/// A module in device memory: code in the instruction heap, constants and variables in allocations. A module with
/// imports cannot run until link() has resolved them. Thread-safe.
class Module : public Object<Module, ze_module_handle_t> {
  public:
    static constexpr const char* kNoun = "module";

    /// Gives the built module memory, places and resolves it, and notifies the tools.
    static Result<std::shared_ptr<Module>> create(std::shared_ptr<Context> context, std::shared_ptr<Device> device,
                                                  const BuiltModule& built);
    /// Resolves the imports of these modules among their exports. `log` gets a line for each symbol that is missing.
    /// MODULE_LINK_FAILURE if any is.
    static Status link(std::span<const std::shared_ptr<Module>> modules, std::string& log);

    struct Parts;
    explicit Module(Parts parts);
    ~Module();

    /// Notifies the tools, once, that the application has destroyed the module. Lists that launch it keep its code.
    void end() noexcept;

    /// Never reused; Launch::tag of its kernels holds it.
    std::uint64_t id() const noexcept { return id_; }
    Context& context() const noexcept { return *context_; }
    Device& device() const noexcept { return *device_; }
    const binary::ModuleImage& image() const noexcept { return linked_.image(); }
    const module::LinkedModule& linked() const noexcept { return linked_; }
    const std::shared_ptr<machine::CodeRange>& code() const noexcept { return code_; }
    bool compiled() const noexcept { return compiled_; }       ///< from SPIR-V, not native
    std::uint64_t source() const noexcept { return source_; }  ///< of keepSource() (result_file.h)
    std::uint32_t profileFlags() const noexcept { return profileFlags_; }
    /// The flags given to zeModuleCreate; empty for native input.
    const std::string& buildOptions() const noexcept { return linked_.image().buildOptions; }
    /// False while imports are missing.
    bool runnable() const;
    /// Adds its imports and exports.
    void addTo(zetl::driver::Linkage& linkage) const;

    Result<module::Variable> variable(std::string_view name) const;
    /// Where a variable lies and how large it is; `size` and `pointer` may be null.
    Status getGlobalPointer(const char* name, std::size_t* size, void** pointer) const;
    /// The value of a function pointer in device code: an address relative to the instruction base.
    Result<void*> function(std::string_view name) const;

    std::vector<const char*> kernelNames() const;
    void describe(ze_module_properties_t& out) const;
    /// Writes as many bytes of the native binary as `size` says, if `out` is not null; `size` becomes their number.
    void getNativeBinary(std::size_t& size, std::uint8_t* out) const;

  private:
    class Data;
    /// Writes code and data to where the device reads them; called once, when no import is missing any more.
    Status install() ZETL_REQUIRES(mutex_);

    const std::shared_ptr<Context> context_;
    const std::shared_ptr<Device> device_;
    const std::shared_ptr<machine::CodeRange> code_;
    const std::shared_ptr<Data> data_;
    const std::uint32_t profileFlags_;
    const bool compiled_;
    const std::uint64_t source_;
    const std::uint64_t id_;
    mutable Mutex mutex_;
    module::LinkedModule linked_;
    bool installed_ ZETL_GUARDED_BY(mutex_) = false;
    std::atomic<bool> announced_{false};
};

}  // namespace zetl::emulator::driver
