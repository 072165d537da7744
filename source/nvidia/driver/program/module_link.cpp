// Module::link().
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "nvidia/cuda/current.h"
#include "nvidia/driver/program/module.h"

namespace zetl::nvidia {
namespace {

using Modules = std::vector<std::shared_ptr<Module>>;

std::mutex& linking() {
    static std::mutex mutex;
    return mutex;
}

}  // namespace

/// Modules that have no code, and those that define something for them, directly or not.
struct Module::Linked {
    Modules modules;
    std::string missing;

    explicit Linked(std::span<const std::shared_ptr<Module>> all) {
        for (const auto& each : all)
            if (!each->code()) add(each);
        for (std::size_t i = 0; i < modules.size(); ++i)
            for (const auto& name : modules[i]->source_.symbols.imports) addDefinitionOf(name, all);
    }
    ModuleSource source() const {
        ModuleSource joint;
        for (const auto& each : modules) joint.add(each->source_);
        return joint;
    }
    /// The ones whose code can become the shared one.
    Modules takers() const {
        Modules some;
        std::ranges::copy_if(modules, std::back_inserter(some), [](const auto& each) { return !each->isUsed(); });
        return some;
    }

  private:
    void add(const std::shared_ptr<Module>& module) {
        if (std::ranges::find(modules, module) == modules.end()) modules.push_back(module);
    }
    void addDefinitionOf(const std::string& name, std::span<const std::shared_ptr<Module>> all) {
        const auto found =
            std::ranges::find_if(all, [&](const auto& each) { return each->source_.symbols.exports(name); });
        if (found == all.end())
            missing += fmt::format("undefined symbol {}\n", name);
        else if ((*found)->isUsed() && !(*found)->source_.symbols.variables.empty())
            missing += fmt::format(
                "{} is defined by a module with variables, which is in use: link its modules by one call, before their "
                "first kernels and pointers\n",
                name);
        else
            add(*found);
    }
};

Status Module::link(std::span<const std::shared_ptr<Module>> modules, std::string& log) {
    const std::lock_guard guard(linking());
    const Linked linked(modules);
    log += linked.missing;
    if (!linked.missing.empty())
        return refuse(ZE_RESULT_ERROR_MODULE_LINK_FAILURE, "{}", linked.missing.substr(0, linked.missing.find('\n')));
    if (linked.modules.empty()) return ZE_RESULT_SUCCESS;
    const auto& place = linked.modules.front()->place();
    for (const auto& each : linked.modules)
        if (each->place().work != place.work)
            return refuse(ZE_RESULT_ERROR_INVALID_ARGUMENT, "the modules were built for different devices");
    const Current current(place.work->context);
    auto image = linked.source().image(log);
    if (!image)
        return image.code() == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE ? Status(ZE_RESULT_ERROR_MODULE_LINK_FAILURE)
                                                                    : image.code();
    const auto code = LoadedCode::load(place, *std::move(image));
    if (!code) return code.code();
    for (const auto& each : linked.takers()) each->take(*code);
    return ZE_RESULT_SUCCESS;
}

void Module::take(std::shared_ptr<const LoadedCode> code) {
    state_.write([&](State& state) { state = {std::move(code), true}; });
}

}  // namespace zetl::nvidia
