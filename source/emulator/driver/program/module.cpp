#include "emulator/driver/program/module.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/never_destroyed.h"
#include "emulator/driver/device/device.h"
#include "emulator/driver/device/platform.h"
#include "emulator/driver/device/tool_observer.h"
#include "emulator/driver/memory/context.h"
#include "emulator/driver/program/coverage.h"
#include "emulator/driver/program/module_source.h"
#include "emulator/driver/shared_parts.h"

namespace zetl::emulator::driver {
namespace {

std::uint64_t nextModuleId() noexcept {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
}

/// Only one link() may run at a time: it reads and writes several modules.
Mutex& linking() {
    static NeverDestroyed<Mutex> mutex;
    return *mutex;
}

/// Each kernel's section has the registers of that kernel, and functions those of whatever calls them.
std::vector<isa::RegisterLimit> registerLimits(const module::LinkedModule& linked) {
    const binary::ModuleImage& image = linked.image();
    std::vector<isa::RegisterLimit> limits;
    for (std::uint32_t section = 0; section < image.code.size(); ++section) {
        const auto kernel = std::ranges::find(image.kernels, section, &binary::KernelImage::codeSection);
        limits.push_back({static_cast<std::uint32_t>(linked.layout().offset(section)),
                          kernel == image.kernels.end() ? 0 : kernel->environment.grfCount});
    }
    return limits;
}

}  // namespace

/// The allocations of a module's data segments.
class Module::Data {
  public:
    Data() = default;
    Data(const Data&) = delete;
    Data& operator=(const Data&) = delete;
    ~Data() {
        for (const std::uint64_t address : addresses)
            if (address) platform().memory().free(address);
    }

    Status allocate(const binary::ModuleImage& image, Device& device) {
        for (int kind = 0; kind < binary::kDataKinds; ++kind) {
            const std::uint64_t bytes = image.data[kind].size();
            if (bytes == 0) continue;
            machine::Memory::Request request;
            request.bytes = bytes;
            request.kind = machine::MemoryKind::global;
            request.owner = reinterpret_cast<std::uint64_t>(&device);
            request.budget = device.memoryBudget();
            const auto answer = platform().memory().allocate(request);
            if (answer.status != machine::MemoryStatus::ok)
                return refuse(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, "no {} bytes for the module's variables", bytes);
            addresses[kind] = answer.address;
        }
        return ZE_RESULT_SUCCESS;
    }

    std::array<std::uint64_t, binary::kDataKinds> addresses{};
};

struct Module::Parts {
    std::shared_ptr<Context> context;
    std::shared_ptr<Device> device;
    std::shared_ptr<machine::CodeRange> code;
    std::shared_ptr<Data> data;
    std::uint32_t profileFlags;
    bool compiled;
    std::uint64_t source;
    module::LinkedModule linked;
};

Module::Module(Parts parts)
    : context_(std::move(parts.context)),
      device_(std::move(parts.device)),
      code_(std::move(parts.code)),
      data_(std::move(parts.data)),
      profileFlags_(parts.profileFlags),
      compiled_(parts.compiled),
      source_(parts.source),
      id_(nextModuleId()),
      linked_(std::move(parts.linked)) {}

Module::~Module() { end(); }

void Module::end() noexcept {
    if (!announced_.exchange(false)) return;
    if (const auto observer = toolObserver()) observer->moduleDestroyed(*this);
}

Result<std::shared_ptr<Module>> Module::create(std::shared_ptr<Context> context, std::shared_ptr<Device> device,
                                               const BuiltModule& built) {
    machine::CodeHeap& heap = device->machine().code();
    const module::CodeLayout layout(*built.image);
    // A module without kernels has a place as well, if only for debuggers to see.
    auto code = heap.allocate(std::max<std::uint64_t>(layout.size(), 1));
    if (!code)
        return refuse(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, "no {} bytes in the instruction heap", layout.size());
    auto data = std::make_shared<Data>();
    if (const Status bad = data->allocate(*built.image, *device); bad != ZE_RESULT_SUCCESS) return bad;
    auto placed = module::LinkedModule::place(built.image, {heap.base(), code->address(), data->addresses});
    if (!placed) return codeOf(placed.error());
    auto module =
        std::make_shared<Module>(Parts{std::move(context), std::move(device), std::move(code), std::move(data),
                                       built.profileFlags, built.compiled, built.source, *std::move(placed)});
    if (module->linked_.fullyResolved()) {
        const Lock fresh(module->mutex_);
        if (const Status bad = module->install(); bad != ZE_RESULT_SUCCESS) return bad;
    }
    module->announced_ = true;
    if (const auto observer = toolObserver()) observer->moduleCreated(*module);
    return module;
}

Status Module::install() {
    if (installed_) return ZE_RESULT_SUCCESS;
    code_->countInto(coverageOf(linked_, code_->bytes()));
    device_->machine().code().install(*code_, std::as_bytes(linked_.code()), registerLimits(linked_));
    for (int kind = 0; kind < binary::kDataKinds; ++kind) {
        const auto bytes = linked_.data(static_cast<binary::DataKind>(kind));
        if (!bytes.empty() && !platform().memory().write(data_->addresses[kind], bytes.data(), bytes.size()))
            return ZE_RESULT_ERROR_DEVICE_LOST;
    }
    installed_ = true;
    return ZE_RESULT_SUCCESS;
}

Status Module::link(std::span<const std::shared_ptr<Module>> modules, std::string& log) {
    const Lock guard(linking());
    std::vector<module::LinkedModule*> parts;
    for (const auto& module : modules) parts.push_back(&module->linked_);
    const auto missing = module::LinkedModule::resolve(parts);
    if (!missing) {
        log += missing.error().message + "\n";
        return refuse(ZE_RESULT_ERROR_MODULE_LINK_FAILURE, "{}", missing.error().message);
    }
    for (const auto& symbol : *missing) log += fmt::format("undefined symbol {} in {}\n", symbol.name, symbol.where);
    for (const auto& module : modules) {
        const Lock one(module->mutex_);
        if (!module->linked_.fullyResolved()) continue;
        if (const Status bad = module->install(); bad != ZE_RESULT_SUCCESS) return bad;
    }
    if (missing->empty()) return ZE_RESULT_SUCCESS;
    return refuse(ZE_RESULT_ERROR_MODULE_LINK_FAILURE, "{} symbols have no definition, the first is {}",
                  missing->size(), missing->front().name);
}

bool Module::runnable() const {
    const Lock guard(mutex_);
    return installed_;
}

void Module::addTo(zetl::driver::Linkage& linkage) const {
    for (auto& name : image().imports()) linkage.imports.insert(std::move(name));
    for (const binary::Symbol& symbol : image().symbols)
        if (symbol.global && !symbol.undefined) linkage.exports.insert(symbol.name);
}

Result<module::Variable> Module::variable(std::string_view name) const {
    if (const auto found = linked_.variable(name)) return *found;
    return refuse(ZE_RESULT_ERROR_INVALID_GLOBAL_NAME,
                  "the module has no variable {}; only variables with external linkage have names", name);
}

Result<void*> Module::function(std::string_view name) const {
    if (const auto found = linked_.functionAddress(name))
        return reinterpret_cast<void*>(*found - linked_.addresses().instructionBase);
    return refuse(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME, "the module has no function {}", name);
}

Status Module::getGlobalPointer(const char* name, std::size_t* size, void** pointer) const {
    const auto found = variable(name);
    if (!found) return found.code();
    if (size) *size = found->size;
    if (pointer) *pointer = reinterpret_cast<void*>(found->address);
    return ZE_RESULT_SUCCESS;
}

std::vector<const char*> Module::kernelNames() const {
    std::vector<const char*> names;
    for (const auto& kernel : image().kernels) names.push_back(kernel.name.c_str());
    return names;
}

void Module::describe(ze_module_properties_t& out) const {
    out.flags = image().imports().empty() ? 0 : ZE_MODULE_PROPERTY_FLAG_IMPORTS;
}

void Module::getNativeBinary(std::size_t& size, std::uint8_t* out) const {
    const auto& native = image().native;
    if (out) std::memcpy(out, native.data(), std::min(size, native.size()));
    size = native.size();
}

}  // namespace zetl::emulator::driver
