#include "kernel_case.h"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "fill.h"

namespace zetl::kernels {
namespace {

std::string contents(const std::filesystem::path& file) {
    std::ifstream stream(file);
    if (!stream) throw std::runtime_error(fmt::format("{} cannot be read", file.string()));
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::array<std::uint32_t, 3> extent(const YAML::Node& list, std::uint32_t rest) {
    std::array<std::uint32_t, 3> result{rest, rest, rest};
    for (std::size_t i = 0; i < list.size() && i < 3; ++i) result[i] = list[i].as<std::uint32_t>();
    return result;
}

Bytes values(const YAML::Node& node, const ElementType& type) {
    Bytes bytes;
    if (node.IsScalar()) appendElement(bytes, type, type.fromText(node.Scalar()));
    for (const YAML::Node& value : node) appendElement(bytes, type, type.fromText(value.Scalar()));
    return bytes;
}

/// A struct argument: a list of one-entry maps, type to value, without implied padding.
Bytes structValue(const YAML::Node& members) {
    Bytes bytes;
    for (const YAML::Node& member : members)
        for (const auto& entry : member) {
            const Bytes part = values(entry.second, ElementType::named(entry.first.Scalar()));
            bytes.insert(bytes.end(), part.begin(), part.end());
        }
    return bytes;
}

Bytes expectation(const YAML::Node& node, const ElementType& type, std::size_t count) {
    if (!node.IsMap()) return values(node, type);
    return fill(type, count, node);
}

CaseArgument readBuffer(const YAML::Node& node, std::uint64_t seed) {
    CaseArgument argument;
    argument.type = &ElementType::named(node["buffer"].Scalar());
    const auto count = node["count"].as<std::size_t>();
    argument.bytes =
        node["fill"] ? fill(*argument.type, count, node["fill"], seed) : Bytes(count * argument.type->bytes);
    argument.tolerance = {.ulp = node["ulp"].as<double>(0),
                          .absolute = node["absolute"].as<double>(0),
                          .flushed = node["flushed"].as<bool>(false)};
    argument.compared = node["compared"].as<bool>(true);
    if (node["expect"]) argument.expected = expectation(node["expect"], *argument.type, count);
    if (node["mistaken"]) argument.mistaken = expectation(node["mistaken"], *argument.type, count);
    return argument;
}

CaseArgument readArgument(const YAML::Node& node, std::uint64_t seed) {
    if (node["buffer"]) return readBuffer(node, seed);
    CaseArgument argument;
    if (node["local"]) {
        argument.kind = CaseArgument::Kind::local;
        argument.localBytes = node["local"].as<std::uint32_t>();
    } else if (node["struct"]) {
        argument.kind = CaseArgument::Kind::scalar;
        argument.bytes = structValue(node["struct"]);
    } else {
        argument.kind = CaseArgument::Kind::scalar;
        argument.type = &ElementType::named(node["scalar"].Scalar());
        argument.bytes = values(node["value"], *argument.type);
    }
    return argument;
}

CaseLaunch readLaunch(const YAML::Node& node) {
    CaseLaunch launch;
    launch.kernel = node["kernel"].Scalar();
    launch.referenceKernel = node["reference"].as<std::string>(launch.kernel);
    if (launch.referenceKernel == "none") launch.referenceKernel.clear();
    launch.dimensions = static_cast<std::uint32_t>(node["global"].size());
    launch.global = extent(node["global"], 1);
    launch.local = extent(node["local"], 1);
    launch.offset = extent(node["offset"] ? node["offset"] : YAML::Node(YAML::NodeType::Sequence), 0);
    launch.expectedOutput = node["output"].as<std::string>("");
    for (const auto& entry : node["excluded"]) launch.excluded[entry.first.Scalar()] = entry.second.Scalar();
    for (const auto& entry : node["mistaken"]) launch.mistaken[entry.first.Scalar()] = entry.second.Scalar();
    std::uint64_t seed = 1;
    for (const YAML::Node& argument : node["arguments"]) launch.arguments.push_back(readArgument(argument, seed++));
    const bool judged = !launch.referenceKernel.empty() || !launch.expectedOutput.empty() ||
                        std::ranges::any_of(launch.arguments,
                                            [](const CaseArgument& argument) { return argument.expected.has_value(); });
    if (!judged) throw std::runtime_error(fmt::format("launch of {} expects nothing: it cannot fail", launch.kernel));
    const bool hasMistake = std::ranges::any_of(
        launch.arguments, [](const CaseArgument& argument) { return argument.mistaken.has_value(); });
    if (hasMistake == launch.mistaken.empty())
        throw std::runtime_error(fmt::format("launch of {}: a mistake has builds and a result", launch.kernel));
    return launch;
}

}  // namespace

KernelCase readCase(const std::filesystem::path& yaml) {
    try {
        const YAML::Node document = YAML::LoadFile(yaml.string());
        KernelCase result{.name = yaml.stem().string(),
                          .source = contents(std::filesystem::path(yaml).replace_extension(".cl")),
                          .options = document["options"].as<std::string>(""),
                          .referenceOptions = document["reference_options"].as<std::string>(""),
                          .launches = {}};
        for (const YAML::Node& launch : document["launches"]) result.launches.push_back(readLaunch(launch));
        if (result.launches.empty()) throw std::runtime_error("no launches");
        return result;
    } catch (const std::exception& problem) {
        throw std::runtime_error(fmt::format("{}: {}", yaml.string(), problem.what()));
    }
}

std::vector<std::filesystem::path> caseFiles(const std::filesystem::path& directory) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
        if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

}  // namespace zetl::kernels
