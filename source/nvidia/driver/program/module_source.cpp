#include "nvidia/driver/program/module_source.h"

#include <algorithm>
#include <utility>

#include "driver/module_inputs.h"
#include "nvidia/driver/program/spirv.h"
#include "nvidia/driver/shared_parts.h"

namespace zetl::nvidia {
namespace {

/// A zero ends the text if there is one.
std::string ptxText(std::span<const std::uint8_t> bytes) {
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    text.resize(std::min(text.size(), text.find('\0')));
    return text;
}

BuildOptions bothOf(const BuildOptions& one, const BuildOptions& other) {
    BuildOptions both;
    both.optimization = std::min(one.optimization, other.optimization);
    both.debugInfo = std::max(one.debugInfo, other.debugInfo);
    both.registers = one.registers && other.registers ? std::min(one.registers, other.registers)
                                                      : std::max(one.registers, other.registers);
    // NVIDIA's compiler refuses to describe variables of code that it optimizes.
    if (both.debugInfo == DebugInfo::variables) both.optimization = 0;
    return both;
}

ModuleSource ptxSource(std::string text, const BuildOptions& options) {
    ModuleSource source;
    source.options = options;
    source.kernels = kernelsOf(text);
    source.symbols = compiler::symbolsOf(text);
    source.ptx.push_back(std::move(text));
    return source;
}

Status readNative(const driver::ModuleInput& input, ModuleSource& source) {
    switch (kindOf(input.bytes)) {
        case NativeKind::cubin:
        case NativeKind::fatbin:
            source.machineCode.assign(input.bytes.begin(), input.bytes.end());
            return ZE_RESULT_SUCCESS;
        case NativeKind::ptx:
            source = ptxSource(ptxText(input.bytes), optionsOf(input.flags));
            return ZE_RESULT_SUCCESS;
        case NativeKind::unknown:
            break;
    }
    return refuse(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY, "the {} bytes are neither a cubin nor a fatbin nor PTX",
                  input.bytes.size());
}

}  // namespace

Result<ModuleSource> readSource(const ze_module_desc_t& description, std::string& log) {
    const auto inputs = driver::moduleInputs(description);
    if (!inputs) return inputs.code();
    ModuleSource source;
    if (description.format == ZE_MODULE_FORMAT_NATIVE) {
        if (const Status bad = readNative(inputs->front(), source); bad != ZE_RESULT_SUCCESS) return bad;
    } else if (description.format == ZE_MODULE_FORMAT_IL_SPIRV) {
        for (const auto& input : *inputs) {
            const auto ptx = translateSpirv(input, inputs->size() > 1, log);
            if (!ptx) return ptx.code();
            source.add(ptxSource(ptxText(*ptx), optionsOf(input.flags)));
        }
    } else {
        return refuse(ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION,
                      "module format {}; the driver takes SPIR-V, and PTX, cubin and fatbin as ZE_MODULE_FORMAT_NATIVE",
                      static_cast<int>(description.format));
    }
    if (!source.ptx.empty() && inputs->front().flags) source.flags = inputs->front().flags;
    return source;
}

void ModuleSource::add(const ModuleSource& other) {
    options = ptx.empty() ? other.options : bothOf(options, other.options);
    kernels.insert(other.kernels.begin(), other.kernels.end());
    symbols.functions.insert(other.symbols.functions.begin(), other.symbols.functions.end());
    symbols.variables.insert(other.symbols.variables.begin(), other.symbols.variables.end());
    symbols.imports.insert(other.symbols.imports.begin(), other.symbols.imports.end());
    std::erase_if(symbols.imports, [this](const auto& name) { return symbols.exports(name); });
    ptx.insert(ptx.end(), other.ptx.begin(), other.ptx.end());
}

Result<Bytes> ModuleSource::image(std::string& log) const {
    if (ptx.empty()) return machineCode;
    return linkPtx(ptx, options, log);
}

Status ModuleSource::check(std::string& log) const {
    for (const auto& each : ptx)
        if (const Status bad = checkPtx(each, options, log); bad != ZE_RESULT_SUCCESS) return bad;
    return ZE_RESULT_SUCCESS;
}

}  // namespace zetl::nvidia
