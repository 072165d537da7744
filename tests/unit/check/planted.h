// A kernel with a mistake planted, and its twin without it.
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "check/finding.h"
#include "kernel_bench.h"

namespace zetl::emulator::check {

/// A kernel `k(global T* o, global T* a, ...)`, which is compiled under its name. In its text WRONG(bug, right) stands
/// for one of the two.
struct Planted {
    const char* name;
    zetl::check::Kind kind;
    const char* source;
    std::uint32_t items = 64;
    std::uint32_t groups = 1;
    std::vector<std::uint32_t> localBytes = {};  ///< of arguments behind `a`
    std::uint32_t bufferBytes = 256;
    bool isWritten = false;    ///< `a` is, with zeros, in the kernel with the mistake too
    std::uint32_t rows = 1;    ///< of a group, each of `items` work-items
    std::uint32_t layers = 1;  ///< of such rows
};

inline std::ostream& operator<<(std::ostream& out, const Planted& one) { return out << one.name; }

/// One module of all the kernels, by their names, or of all the twins: a compilation takes longer than all their
/// launches.
inline std::string textOf(std::span<const Planted> all, bool wrong) {
    std::string text = wrong ? "#define WRONG(bug, ...) bug\n" : "#define WRONG(bug, ...) __VA_ARGS__\n";
    text +=
        "#define G ((int)get_global_id(0))\n#define L ((int)get_local_id(0))\n"
        "#define W ((int)get_group_id(0))\n";
    for (const Planted& one : all) {
        const std::string source = one.source;
        const std::string head = "kernel void k(";
        const std::size_t at = source.find(head);
        text += source.substr(0, at) + "kernel void " + one.name + "(" + source.substr(at + head.size()) + "\n";
    }
    return text;
}

/// What the check says of one of these kernels, or of its twin. Both buffers hold zeros.
template <class Check>
std::vector<zetl::check::Finding> findingsOf(machine::bench::KernelBench& bench, Check& check,
                                             std::span<const Planted> all, const Planted& one, bool wrong,
                                             const char* options = "-cl-std=CL2.0") {
    using machine::bench::Argument;
    const machine::bench::Kernel kernel = bench.build(textOf(all, wrong), one.name, options);
    const std::uint64_t o = bench.allocate(one.bufferBytes);
    const std::uint64_t a = bench.allocate(one.bufferBytes);
    if constexpr (requires { check.written(o, 0, 1); }) {
        check.written(o, 0, one.bufferBytes);
        if (!wrong || one.isWritten) check.written(a, 0, one.bufferBytes);
    }
    std::vector<Argument> arguments{o, a};
    for (const std::uint32_t bytes : one.localBytes) arguments.push_back(Argument::local(bytes));
    const auto dispatch = bench.run(kernel, {one.items, one.rows, one.layers}, {one.groups, 1, 1}, arguments);
    return check.take(*dispatch, [](std::uint64_t) { return std::string(); });
}

/// Empty if nothing is found.
inline std::string told(const std::vector<zetl::check::Finding>& findings) {
    std::string text;
    for (const zetl::check::Finding& one : findings)
        text += std::string(infoOf(one.kind).name) + ": " + one.message + " (" + std::to_string(one.count) + ")\n";
    return text;
}

}  // namespace zetl::emulator::check
