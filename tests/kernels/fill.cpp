#include "fill.h"

#include <cmath>
#include <random>
#include <stdexcept>

namespace zetl::kernels {
namespace {

Bytes edges(const ElementType& type, std::size_t count, int level) {
    const std::vector<std::uint64_t> values = type.edges();
    std::size_t period = 1;
    for (int i = 0; i < level; ++i) period *= values.size();
    Bytes bytes;
    for (std::size_t i = 0; i < count; ++i) appendElement(bytes, type, values[i / period % values.size()]);
    return bytes;
}

Bytes randomBits(const ElementType& type, std::size_t count, std::mt19937_64& generator) {
    Bytes bytes;
    for (std::size_t i = 0; i < count; ++i) appendElement(bytes, type, generator());
    return bytes;
}

// Own arithmetic instead of std distributions, whose results differ between libraries.
Bytes randomRange(const ElementType& type, std::size_t count, const YAML::Node& range, std::mt19937_64& generator) {
    Bytes bytes;
    for (std::size_t i = 0; i < count; ++i) {
        if (type.kind == ElementType::Kind::real) {
            const auto low = range[0].as<double>();
            const auto high = range[1].as<double>();
            appendElement(
                bytes, type,
                type.fromNumber(low + (high - low) * std::ldexp(static_cast<double>(generator() >> 11), -53)));
        } else {
            const auto low = range[0].as<std::int64_t>();
            const auto high = range[1].as<std::int64_t>();
            const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1;
            const std::uint64_t step = span == 0 ? generator() : generator() % span;
            appendElement(bytes, type,
                          type.fromInteger(static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + step)));
        }
    }
    return bytes;
}

Bytes iota(const ElementType& type, std::size_t count, const YAML::Node& range) {
    Bytes bytes;
    const auto start = range[0].as<double>();
    const auto step = range[1].as<double>();
    for (std::size_t i = 0; i < count; ++i)
        appendElement(bytes, type, type.fromNumber(start + step * static_cast<double>(i)));
    return bytes;
}

}  // namespace

Bytes fill(const ElementType& type, std::size_t count, const YAML::Node& description, std::uint64_t seed) {
    std::mt19937_64 generator(seed);
    if (const YAML::Node level = description["edges"]) return edges(type, count, level.as<int>());
    if (const YAML::Node range = description["random"])
        return range.IsSequence() ? randomRange(type, count, range, generator) : randomBits(type, count, generator);
    if (const YAML::Node range = description["iota"]) return iota(type, count, range);
    Bytes bytes;
    if (const YAML::Node value = description["each"]) {
        for (std::size_t i = 0; i < count; ++i) appendElement(bytes, type, type.fromText(value.Scalar()));
    } else if (const YAML::Node list = description["values"]) {
        for (const YAML::Node& entry : list) appendElement(bytes, type, type.fromText(entry.Scalar()));
        if (bytes.size() > count * type.bytes) throw std::runtime_error("more values than elements");
        bytes.resize(count * type.bytes);
    } else {
        throw std::runtime_error("a fill of unknown kind");
    }
    return bytes;
}

}  // namespace zetl::kernels
