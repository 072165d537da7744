// Where two runs of a program part: the first launch whose results differ.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "results/reader.h"

namespace zetl::command {

/// What a run of a program left.
using RunResults = std::vector<results::Process>;

/// How many were computed.
std::size_t launchesOf(const RunResults& run);
/// Why others were left out, and how many for each reason.
std::map<std::string, std::size_t> leftOutOf(const RunResults& run);

struct Difference {
    std::size_t process = 0;     ///< from 1, in the order in which they began
    std::size_t launch = 0;      ///< from 1, in the reference's order; 0: there is none
    std::size_t occurrence = 0;  ///< of its kernel, from 1
    std::string kernel;
    std::string place;  ///< for a person: the launch's sizes and the buffer
    std::string what;   ///< for a person: what differs there
    std::optional<std::int32_t> argument;
    std::optional<std::uint64_t> element;  ///< from where the argument points to, or from the begin of its allocation
    std::uint64_t differing = 0;           ///< elements of the buffer that differ; 0: not known
    std::string found;
    std::string expected;
};

/// The first launch of the reference that has another result in the other run, or none there. Launches are matched by
/// kernel and by how many launches of it came before. Nothing if all are alike. `ulps` units in the last place between
/// elements of type float or double are no difference. Launches that the other run has left out do not differ.
std::optional<Difference> difference(const RunResults& reference, const RunResults& other, std::uint64_t ulps);

}  // namespace zetl::command
