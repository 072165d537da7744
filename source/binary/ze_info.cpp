#include "binary/ze_info.h"

#include <fmt/format.h>

#include <unordered_map>

#include "binary/native_binary.h"
#include "binary/ze_info_parts.h"

namespace zetl::binary {
namespace {

// All kernels of a module together; YAML aliases could otherwise multiply a small text.
constexpr std::size_t kMaxPieces = 1 << 20;

KernelImage readKernel(const YamlFields& fields, Problems& problems) {
    KernelImage kernel;
    kernel.name = fields.text("name");
    const std::string where = fmt::format("kernel {}: ", kernel.name);
    if (kernel.name.empty()) problems.add(Cause::damaged, "a kernel without a name");
    kernel.environment =
        readEnvironment(YamlFields(fields.child("execution_env"), where + "execution_env: ", problems));
    fields.each("payload_arguments", kMaxCrossThreadBytes,
                [&](const YamlFields& entry) { readPayloadArgument(entry, kernel); });
    fields.each("per_thread_payload_arguments", 16,
                [&](const YamlFields& entry) { readPerThreadPayload(entry, kernel); });
    fields.each("per_thread_memory_buffers", 16,
                [&](const YamlFields& entry) { kernel.memoryBuffers.push_back(readMemoryBuffer(entry)); });
    fields.each("inline_samplers", kMaxArguments,
                [&](const YamlFields& entry) { kernel.inlineSamplers.push_back(readInlineSampler(entry)); });
    const yaml::Node attributes = fields.child("user_attributes");
    if (attributes.isMap()) {
        const YamlFields map(attributes, where, problems);
        kernel.attributes = readAttributes(map);
        if (const std::string reason = map.text("invalid_kernel"); !reason.empty() && kernel.unsupported.empty())
            kernel.unsupported = "the compiler marked the kernel invalid: " + reason;
    }
    return kernel;
}

void attachReflection(const YamlFields& fields, KernelImage& kernel) {
    fields.each("args_info", kMaxArguments, [&](const YamlFields& entry) {
        ArgumentReflection reflection = readReflection(entry);
        // A by-value argument may be widened in the payload; the caller passes the source type's size.
        if (reflection.index < kernel.arguments.size() && reflection.typeBytes != 0 &&
            kernel.arguments[reflection.index].kind == KernelArgument::Kind::value)
            kernel.arguments[reflection.index].size = reflection.typeBytes;
        kernel.reflection.push_back(std::move(reflection));
    });
}

void attachReflections(const YamlFields& top, ZeInfo& info) {
    std::unordered_map<std::string_view, KernelImage*> byName;
    for (KernelImage& kernel : info.kernels) byName.emplace(kernel.name, &kernel);
    top.each("kernels_misc_info", kMaxKernels, [&](const YamlFields& entry) {
        const auto kernel = byName.find(entry.text("name"));
        if (kernel != byName.end() && kernel->second->reflection.empty()) attachReflection(entry, *kernel->second);
    });
}

ZeInfo readDocument(const yaml::Node& document, Problems& problems) {
    ZeInfo info;
    const YamlFields top(document, ".ze_info: ", problems);
    info.version = top.text("version");
    std::size_t pieces = 0;
    top.each("kernels", kMaxKernels, [&](const YamlFields& entry) {
        if (pieces > kMaxPieces) return problems.add(Cause::limit, ".ze_info describes too many arguments");
        info.kernels.push_back(readKernel(entry, problems));
        pieces += info.kernels.back().payload.size() + info.kernels.back().arguments.size();
    });
    top.each("functions", kMaxKernels, [&](const YamlFields& entry) {
        const std::string name = entry.text("name");
        const YamlFields environment(entry.child("execution_env"), fmt::format("function {}: ", name), problems);
        info.functions.push_back({name, readEnvironment(environment)});
    });
    top.each("global_host_access_table", kMaxSymbols, [&](const YamlFields& entry) {
        info.hostNames.emplace_back(entry.text("device_name"), entry.text("host_name"));
    });
    attachReflections(top, info);
    return info;
}

/// Nothing, and a problem, if the text is not YAML. A NUL ends it.
ZeInfo readText(std::string_view yaml, Problems& problems) {
    try {
        return readDocument(yaml::parse(yaml.substr(0, yaml.find('\0'))), problems);
    } catch (const yaml::Error& failure) {
        problems.add(Cause::damaged, fmt::format(".ze_info: {}", failure.what()));
        return {};
    }
}

/// Of the description that is written here.
constexpr std::string_view kWrittenVersion = "1.20";

/// A text that YAML takes for one, whatever is in it.
std::string inQuotes(std::string_view text) {
    std::string result = "'";
    for (const char c : text) result.append(c == '\'' ? 2 : 1, c);
    return result + "'";
}

}  // namespace

Outcome<ZeInfo> readZeInfo(std::string_view yaml) {
    if (yaml.size() > kMaxZeInfoBytes)
        return Error{Cause::limit, fmt::format(".ze_info has {} bytes, the limit is {}", yaml.size(), kMaxZeInfoBytes)};
    Problems problems;
    ZeInfo info = readText(yaml, problems);
    if (problems.first()) return *problems.first();
    return info;
}

ZeInfo readableZeInfo(std::string_view yaml) {
    Problems ignored;
    return yaml.size() <= kMaxZeInfoBytes ? readText(yaml, ignored) : ZeInfo();
}

std::string writeZeInfo(std::span<const KernelImage> kernels) {
    std::string text = fmt::format("---\nversion: {}\nkernels:\n", inQuotes(kWrittenVersion));
    for (const KernelImage& kernel : kernels) {
        text += fmt::format("  - name: {}\n", inQuotes(kernel.name));
        writeEnvironment(kernel.environment, text);
        writePayload(kernel, text);
        writeMemoryBuffers(kernel, text);
    }
    return text + "...\n";
}

}  // namespace zetl::binary
