// The coverage of kernels, by source file and by kernel.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zetl::command {

/// A sum that stops at the largest number.
void addTo(std::uint64_t& sum, std::uint64_t more) noexcept;

/// A function of a source file, by the lines that have code.
struct CoveredFunction {
    std::string name;
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    std::uint64_t count = 0;
};

/// One way on from a place where threads decide: the block of the line, and the number of the way in it.
struct BranchPlace {
    std::uint32_t line = 0;
    std::uint32_t block = 0;
    std::uint32_t number = 0;
    auto operator<=>(const BranchPlace&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// Counts are of hardware threads. Line numbers begin with 1.
struct SourceCoverage {
    std::map<std::uint32_t, std::uint64_t> lines;
    std::vector<CoveredFunction> functions;
    /// Nothing: no thread came there.
    std::map<BranchPlace, std::optional<std::uint64_t>> branches;

    void addLine(std::uint32_t line, std::uint64_t count);
    /// Functions of one name whose lines overlap are one function: compilers leave out other lines of each copy.
    void addFunction(const CoveredFunction& function);
    void addBranch(const BranchPlace& place, std::optional<std::uint64_t> count);
    void add(const SourceCoverage& other);
    /// The same for functions that have different names if they are different functions.
    void addNamed(const SourceCoverage& other);
};

/// By file, as the debug data names it.
using Sources = std::map<std::string, SourceCoverage>;

struct KernelCoverage {
    std::string name;
    std::uint64_t threads = 0;       ///< that executed it
    std::uint64_t instructions = 0;  ///< that its code has
    std::uint64_t executed = 0;      ///< of these, at least once
    std::string withoutLines;        ///< why its instructions have no source lines; empty if some have
};

/// A test of the trace file: what one kernel executed, or all of them.
struct CoverageOfTest {
    std::string name;  ///< empty: all kernels
    Sources sources;
};

/// How much of something there is, and how much of it was executed.
struct CoveredShare {
    std::size_t found = 0;
    std::size_t hit = 0;
    double percent() const noexcept {
        return found == 0 ? 0 : 100.0 * static_cast<double>(hit) / static_cast<double>(found);
    }
};

struct Totals {
    CoveredShare lines;
    CoveredShare functions;
    CoveredShare branches;
    void add(const SourceCoverage& source);
};

Totals totalsOf(const Sources& sources);

}  // namespace zetl::command
