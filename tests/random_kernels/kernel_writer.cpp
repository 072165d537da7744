#include "kernel_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

#include "statements.h"

namespace zetl::random_kernels {
namespace {

constexpr std::array<std::uint32_t, 3> kGroups[] = {{1, 1, 1},  {7, 1, 1},  {16, 1, 1}, {32, 1, 1}, {30, 1, 1},
                                                    {64, 1, 1}, {50, 1, 1}, {8, 4, 1},  {4, 4, 4},  {3, 5, 2}};

constexpr std::size_t kPackBytes = 40;  ///< of a Pack among the results
constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 7) / 8 * 8; }

class KernelWriter {
  public:
    KernelWriter(std::uint64_t number, const Parts& omitted) : chance_(number), numbering_(omitted) {
        kernel_.number = number;
    }

    RandomKernel write() {
        launch();
        for (int functions = chance_.below(4); functions > 0; --functions) function();
        entry();
        kernel_.statements = numbering_.statements();
        kernel_.expressions = numbering_.expressions();
        return std::move(kernel_);
    }

  private:
    Chance chance_;
    Numbering numbering_;
    RandomKernel kernel_;
    std::vector<Function> functions_;

    std::string uniqueName(const char* stem, std::size_t i) { return fmt::format("{}_{}_{}", stem, kernel_.number, i); }

    void launch() {
        kernels::CaseLaunch& launch = kernel_.launch;
        launch.kernel = fmt::format("random_{}", kernel_.number);
        launch.local = chance_.of(kGroups);
        launch.dimensions = 3;
        for (std::size_t i = 0; i < 3; ++i)
            launch.global[i] = launch.local[i] * static_cast<std::uint32_t>(chance_.between(1, i == 0 ? 3 : 2));
        const std::size_t items = std::size_t{launch.global[0]} * launch.global[1] * launch.global[2];
        launch.arguments = {
            {}, buffer(kMaxAtomics * kAccumulators * 8), buffer(items * kBases * kScratchBytes), given()};
    }
    /// Bytes that make numbers of every type, and no NaN.
    kernels::CaseArgument buffer(std::size_t bytes) {
        kernels::CaseArgument argument;
        constexpr std::uint64_t kSixBits = 0x3f3f3f3f3f3f3f3f;
        argument.bytes.resize(bytes);
        for (std::size_t at = 0; at < bytes; at += 8) {
            const std::uint64_t eight = chance_.bits() & kSixBits;
            std::memcpy(&argument.bytes[at], &eight, sizeof eight);
        }
        return argument;
    }
    kernels::CaseArgument given() {
        kernels::CaseArgument argument;
        argument.kind = kernels::CaseArgument::Kind::scalar;
        for (int i = 0; i < 4; ++i) argument.bytes.push_back(static_cast<std::uint8_t>(i == 0 ? chance_.below(64) : 0));
        return argument;
    }

    /// Variables with values that differ between work-items.
    std::string declared(Scope& scope, int count, const std::string& seed) {
        std::string text = fmt::format("    ulong seed = {};\n", seed);
        Expressions expressions(chance_, scope, numbering_);
        for (int i = 0; i < count; ++i) {
            const Type type = expressions.anyType();
            const std::string name = fmt::format("v{}", i);
            const std::string start = fmt::format("rotate(seed, {}ul)", 7 * i);
            const std::string few = type.isReal() ? fmt::format("(int)({} & 1023) * 0.25f - 100.0f", start) : start;
            text += fmt::format("    {0} {1} = ({0})(({2})({3}));\n", type.name(), name, type.scalar().name(), few);
            if (type.isVector()) text += fmt::format("    {}.s1 = {};\n", name, expressions.literal(type.scalar()));
            scope.variables.push_back({name, type});
        }
        // Neither long elements nor vectors of bytes, and no values that all work-items have alike: compiler 22.43 gets
        // such arrays wrong (docs/compiler-mistakes.md).
        constexpr Type kElements[] = {{Base::int8, 1},    {Base::uint16, 1}, {Base::int32, 1},  {Base::uint32, 1},
                                      {Base::float32, 1}, {Base::int32, 4},  {Base::float32, 2}};
        for (int i = 0; i < 2; ++i) {
            const Type type = chance_.of(kElements);
            const Array array{fmt::format("a{}", i), type, chance_.oneIn(2) ? 4 : 8};
            text += fmt::format(
                "    {0} {1}[{2}];\n    for (int i = 0; i < {2}; ++i) {1}[i] = ({0})(({3})(i * 37 - 50 + (int)(seed & "
                "15)));\n",
                type.name(), array.name, array.count, type.scalar().name());
            scope.arrays.push_back(array);
        }
        return text + "    Pack pack = {1, (short4)(-7), 2.5, 200, {5, 6, 7}};\n    Pack other = pack;\n";
    }

    void function() {
        Scope scope;
        Expressions expressions(chance_, scope, numbering_);
        Function function{uniqueName("f", functions_.size()), expressions.anyType(), {}};
        std::string parameters;
        for (int i = chance_.between(1, 4); i > 0; --i) {
            const std::string name = fmt::format("p{}", i);
            function.parameters.push_back(expressions.anyType());
            scope.variables.push_back({name, function.parameters.back()});
            parameters +=
                fmt::format("{}{} {}", parameters.empty() ? "" : ", ", function.parameters.back().name(), name);
        }
        const bool calls = chance_.oneIn(2);
        if (calls) scope.functions = functions_;
        std::string text = fmt::format("{}{} {}({}) {{\n", chance_.oneIn(2) ? "__attribute__((noinline)) " : "",
                                       function.result.name(), function.name, parameters);
        const bool isVector = scope.variables.back().type.isVector();
        text += declared(scope, 2, fmt::format("seeded(p1{})", isVector ? ".s0" : ""));
        Statements statements(chance_, scope, numbering_, 0);
        text += statements.block(chance_.between(2, 5), calls ? 1 : 2, false);
        text += fmt::format("    return {};\n}}\n", expressions.make(function.result, 3));
        kernel_.source += text;
        functions_.push_back(std::move(function));
    }

    /// Stores of all values, and the memory that they take.
    std::string kept(const Scope& scope, std::size_t items) {
        std::string text;
        std::size_t bytes = 0;
        const auto keep = [&](const std::string& name, const Type& type, int count) {
            const std::size_t size = type.bits() / 8 * static_cast<std::size_t>(type.width);
            if (count == 0) text += fmt::format("    keep(result + {}, {});\n", bytes, name);
            if (count != 0)
                text += fmt::format("    for (int i = 0; i < {}; ++i) keep(result + {} + {} * i, {}[i]);\n", count,
                                    bytes, size, name);
            bytes += aligned(size * static_cast<std::size_t>(std::max(count, 1)));
        };
        for (const Variable& variable : scope.variables) keep(variable.name, variable.type, 0);
        for (const Array& array : scope.arrays) keep(array.name, array.type, array.count);
        for (const char* pack : {"pack", "other"}) {
            text += fmt::format("    keep(result + {}, {});\n", bytes, pack);
            bytes += kPackBytes;
        }
        kernel_.launch.arguments[0].bytes.resize(items * bytes);
        return fmt::format("    __global uchar* result = results + item * {};\n", bytes) + text;
    }

    void entry() {
        const kernels::CaseLaunch& launch = kernel_.launch;
        const std::uint32_t items = launch.local[0] * launch.local[1] * launch.local[2];
        Scope scope;
        scope.functions = functions_;
        const std::string variables = declared(scope, chance_.between(5, 9), "mixed(item, given)");
        Statements statements(chance_, scope, numbering_, static_cast<int>(items));
        const std::string body = statements.block(chance_.between(5, 10), 3, true);
        std::string text = fmt::format(
            "WIDTH __kernel void {}(__global uchar* results, __global ulong* counters, "
            "__global uchar* scratch, uint given) {{\n",
            launch.kernel);
        text += statements.declarations();
        text +=
            "    uint local_item = (uint)((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) "
            "+ "
            "get_local_id(0));\n"
            "    uint group = (uint)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + "
            "get_group_id(0));\n";
        text += fmt::format("    uint item = group * {} + local_item;\n", items);
        text += variables + body + kept(scope, launch.global[0] * launch.global[1] * launch.global[2]);
        text += "}\n";
        kernel_.source += text;
    }
};

}  // namespace

RandomKernel writeKernel(std::uint64_t number, const Parts& omitted) { return KernelWriter(number, omitted).write(); }

std::string prelude() {
    std::ifstream stream(ZETL_RANDOM_PRELUDE);
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace zetl::random_kernels
