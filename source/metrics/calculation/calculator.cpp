#include "metrics/calculation/calculator.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "metrics/calculation/equation.h"
#include "metrics/calculation/rows.h"
#include "metrics/calculation/sample_report.h"
#include "metrics/calculation/unrolled.h"

namespace zetl::metrics {
namespace {

void require(bool sound, const Descriptor& descriptor, std::string_view what) {
    if (!sound) throw DescriptionError(fmt::format("metric group {}: {}", descriptor.name, what));
}

bool isPart(std::uint32_t bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8; }

bool fits(const Field& field, const Descriptor& descriptor) {
    const std::uint64_t low = std::uint64_t{field.offset} + field.bytes;
    const std::uint64_t high = std::uint64_t{field.highOffset} + field.highBytes;
    const bool parts =
        isPart(field.bytes) &&
        (field.highBytes == 0 || (isPart(field.highBytes) && field.bytes <= 4 && field.bytes + field.highBytes <= 8));
    return parts && low <= descriptor.reportBytes && (field.highBytes == 0 || high <= descriptor.reportBytes) &&
           field.bits >= 1 && field.bits <= 8 * (field.bytes + field.highBytes);
}

/// Reports of samples are words, and each is a row.
bool sumsWell(const Descriptor& descriptor) {
    return !descriptor.cumulative && descriptor.reportBytes >= sizeof(SampleHead) &&
           descriptor.reportBytes % sizeof(std::uint64_t) == 0;
}

bool isResult(zet_value_type_t type) { return type >= ZET_VALUE_TYPE_UINT32 && type <= ZET_VALUE_TYPE_BOOL8; }

void check(const Descriptor& descriptor) {
    require(descriptor.reportBytes > 0 && descriptor.reportBytes <= Calculator::kMostReportBytes, descriptor,
            "reports of no size, or too large");
    require(!descriptor.samples || sumsWell(descriptor), descriptor, "reports of samples that cannot be summed");
    require(descriptor.fields.size() <= Calculator::kMostFields, descriptor, "too many fields");
    require(!descriptor.columns.empty() && descriptor.columns.size() <= Calculator::kMostColumns, descriptor,
            "no columns, or too many");
    require(descriptor.clock.validBits >= 1 && descriptor.clock.validBits <= 64, descriptor, "a clock of no width");
    require(fits(descriptor.time, descriptor) && (!descriptor.begin || fits(*descriptor.begin, descriptor)), descriptor,
            "times outside the report");
    for (const auto& field : descriptor.fields)
        require(fits(field, descriptor), descriptor, fmt::format("{} outside the report", field.name));
    for (const auto& column : descriptor.columns)
        require(isResult(column.value), descriptor, fmt::format("{} has no type of results", column.name));
}

/// The operands that every interval has, with the unit that equations see.
struct Timed {
    const char* name;
    Interval input;
    bool nanoseconds;
};
constexpr Timed kTimes[] = {{"BeginTime", Interval::begin, true},
                            {"EndTime", Interval::end, true},
                            {"ElapsedTime", Interval::ticks, true},
                            {"ElapsedTicks", Interval::ticks, false}};

class Compiler {
  public:
    Compiler(const Descriptor& descriptor, Program& program) : descriptor_(descriptor), program_(program) {}

    std::uint32_t value(const Column& column) {
        const auto node = equation(column.equation.empty() ? "$" + column.name : column.equation);
        done_.emplace_back(column.name, node);
        return node;
    }
    std::uint32_t equation(std::string_view text) {
        return program_.add(text, {.operand = [this](std::string_view name) { return operand(name); },
                                   .column = [this](std::string_view name) { return column(name); }});
    }

  private:
    std::uint32_t input(std::size_t number) {
        return program_.add(Node{.op = Operator::input, .left = static_cast<std::uint32_t>(number)});
    }
    std::optional<std::uint32_t> operand(std::string_view name) {
        const auto field = std::ranges::find(descriptor_.fields, name, &Field::name);
        if (field != descriptor_.fields.end())
            return input(static_cast<std::size_t>(field - descriptor_.fields.begin()));
        const auto symbol = std::ranges::find(descriptor_.symbols, name, &Symbol::name);
        if (symbol != descriptor_.symbols.end()) return program_.add(Node{.number = symbol->value});
        const auto* const time = std::ranges::find_if(kTimes, [&](const Timed& each) { return name == each.name; });
        if (time == std::end(kTimes)) return std::nullopt;
        const auto ticks = input(descriptor_.fields.size() + static_cast<std::size_t>(time->input));
        return time->nanoseconds ? program_.add(Node{.op = Operator::nanoseconds, .left = ticks}) : ticks;
    }
    std::optional<std::uint32_t> column(std::string_view name) const {
        const auto found = std::ranges::find(done_, name, &std::pair<std::string, std::uint32_t>::first);
        return found == done_.end() ? std::nullopt : std::optional(found->second);
    }

    const Descriptor& descriptor_;
    Program& program_;
    std::vector<std::pair<std::string, std::uint32_t>> done_;
};

bool isReal(zet_value_type_t type) { return type == ZET_VALUE_TYPE_FLOAT32 || type == ZET_VALUE_TYPE_FLOAT64; }

/// Writes one column of a block into the rows.
/// A FLOAT64 column of an integer is that integer's bits: a double that reports hold.
using ColumnWriter = void (*)(const Rows& rows, std::uint32_t node, std::size_t columns, zet_typed_value_t* first);

template <zet_value_type_t kType, class Convert>
void write(const auto* from, std::size_t count, std::size_t columns, zet_typed_value_t* to, Convert&& convert) {
    inFours(count, [&](std::size_t i) {
        auto& value = to[i * columns];
        value.type = kType;
        value.value.ui64 = convert(from[i]);
    });
}
template <zet_value_type_t kType>
void writeWhole(const Rows& rows, std::uint32_t node, std::size_t columns, zet_typed_value_t* to) {
    write<kType>(rows.wholes(node), rows.count(), columns, to, [](std::uint64_t value) -> std::uint64_t {
        if constexpr (kType == ZET_VALUE_TYPE_UINT32) return static_cast<std::uint32_t>(value);
        if constexpr (kType == ZET_VALUE_TYPE_BOOL8) return value != 0;
        return value;
    });
}
template <zet_value_type_t kType>
void writeReal(const Rows& rows, std::uint32_t node, std::size_t columns, zet_typed_value_t* to) {
    write<kType>(rows.reals(node), rows.count(), columns, to, [](float value) -> std::uint64_t {
        if constexpr (kType == ZET_VALUE_TYPE_FLOAT64) return std::bit_cast<std::uint64_t>(static_cast<double>(value));
        return std::bit_cast<std::uint32_t>(value);
    });
}

/// By zet_value_type_t.
constexpr ColumnWriter kWriters[] = {writeWhole<ZET_VALUE_TYPE_UINT32>, writeWhole<ZET_VALUE_TYPE_UINT64>,
                                     writeReal<ZET_VALUE_TYPE_FLOAT32>, writeReal<ZET_VALUE_TYPE_FLOAT64>,
                                     writeWhole<ZET_VALUE_TYPE_BOOL8>};

}  // namespace

struct Calculator::Compiled {
    Program program;
    std::vector<std::uint32_t> results;  ///< node of each column

    std::vector<ColumnWriter> writers;
    void add(const Column& column, std::uint32_t node) {
        const bool bits = column.value == ZET_VALUE_TYPE_FLOAT64 && !program.nodes()[node].real;
        results.push_back(bits ? node : program.as(isReal(column.value), node));
        writers.push_back(bits ? writeWhole<ZET_VALUE_TYPE_FLOAT64> : kWriters[column.value]);
    }
};

Calculator::Calculator(Descriptor descriptor) : descriptor_(std::move(descriptor)) {
    check(descriptor_);
    auto values = std::make_unique<Compiled>();
    auto maxima = std::make_unique<Compiled>();
    Compiler value(descriptor_, values->program);
    Compiler greatest(descriptor_, maxima->program);
    for (const auto& column : descriptor_.columns) {
        values->add(column, value.value(column));
        const auto itself = greatest.value(column);
        maxima->add(column, column.maximum.empty() ? itself : greatest.equation(column.maximum));
    }
    values_ = std::move(values);
    maxima_ = std::move(maxima);
}

Calculator::~Calculator() = default;

std::size_t Calculator::rows(std::size_t reports) const noexcept {
    return descriptor_.cumulative && reports > 0 ? reports - 1 : reports;
}

void Calculator::calculate(zet_metric_group_calculation_type_t type, std::span<const std::byte> raw, std::size_t rows,
                           zet_typed_value_t* values) const {
    const auto& compiled = type == ZET_METRIC_GROUP_CALCULATION_TYPE_MAX_METRIC_VALUES ? *maxima_ : *values_;
    Rows block(descriptor_, compiled.program, rows);
    for (std::size_t row = 0; row < rows; row += kBlockRows) {
        block.compute(raw.data() + row * descriptor_.reportBytes, std::min(kBlockRows, rows - row));
        for (std::size_t i = 0; i < columns(); ++i)
            compiled.writers[i](block, compiled.results[i], columns(), values + row * columns() + i);
    }
}

}  // namespace zetl::metrics
