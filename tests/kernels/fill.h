// Initial contents of buffers, made from a description.
#pragma once

#include <yaml-cpp/yaml.h>

#include "element_type.h"

namespace zetl::kernels {

/// Makes `count` elements. Descriptions:
///   {edges: n}           edge values of the type; n = 0 changes fastest, n = 1 once all values of n = 0 were seen, so
///   that
///                        two or three buffers hold every combination
///   {random: bits}       any bit pattern
///   {random: [low, high]} numbers in between, ends included for integers
///   {iota: [start, step]}
///   {each: value}        the same everywhere
///   {values: [...]}      these, then zeroes
Bytes fill(const ElementType& type, std::size_t count, const YAML::Node& description, std::uint64_t seed = 1);

}  // namespace zetl::kernels
