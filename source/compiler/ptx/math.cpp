// Math functions that the hardware approximates, and those that libclc has only for other types.
#include "compiler/ptx/builtins.h"

namespace zetl::compiler {
namespace {

bool ofFloat(const Declaration& declaration) {
    return declaration.result == "float" && !declaration.parameters.empty();
}

/// An instruction on one value that may be scaled before and after.
struct Fast {
    std::string_view name;
    std::string_view instruction;
    const char* before = nullptr;
    const char* after = nullptr;
};
constexpr const char* kLog2E = "0x3FF7154760000000";
constexpr const char* kLn2 = "0x3FE62E4300000000";
constexpr const char* kLog2Of10 = "0x400A934F00000000";
constexpr const char* kLog10Of2 = "0x3FD3441360000000";
constexpr Fast kFast[] = {
    {"sin", "sin"},
    {"cos", "cos"},
    {"exp2", "ex2"},
    {"exp", "ex2", kLog2E},
    {"exp10", "ex2", kLog2Of10},
    {"log2", "lg2"},
    {"log", "lg2", nullptr, kLn2},
    {"log10", "lg2", nullptr, kLog10Of2},
    {"sqrt", "sqrt"},
    {"rsqrt", "rsqrt"},
};

std::string approximated(Body& body, std::string_view instruction, const std::string& value) {
    return body.value("call float @llvm.nvvm.{}.approx.f(float {})", instruction, value);
}

/// For native_sin and half_sin: sin.
std::string_view plainName(std::string_view name) { return name.substr(name.find('_') + 1); }

bool fast(Body& body, const Declaration& declaration) {
    if (!ofFloat(declaration)) return false;
    const auto name = plainName(declaration.name());
    for (const auto& each : kFast) {
        if (each.name != name) continue;
        std::string value = "%a0";
        if (each.before) value = body.value("fmul float {}, {}", value, each.before);
        value = approximated(body, each.instruction, value);
        if (each.after) value = body.value("fmul float {}, {}", value, each.after);
        body.line("  ret float {}", value);
        return true;
    }
    return false;
}

bool power(Body& body, const Declaration& declaration) {
    if (!ofFloat(declaration) || declaration.parameters.size() != 2) return false;
    const auto exponent = body.value("fmul float {}, %a1", approximated(body, "lg2", "%a0"));
    body.line("  ret float {}", approximated(body, "ex2", exponent));
    return true;
}

bool tangent(Body& body, const Declaration& declaration) {
    if (!ofFloat(declaration)) return false;
    const auto sine = approximated(body, "sin", "%a0");
    body.line("  ret float {}", body.value("fdiv float {}, {}", sine, approximated(body, "cos", "%a0")));
    return true;
}

/// The upper half of a product, and what is added to it.
bool multiplyHigh(Body& body, const Declaration& declaration) {
    const auto type = ValueType::of(declaration.result);
    const auto types = declaration.mangledTypes();
    if (type.vector || type.bits == 0 || declaration.parameters.size() != 3 || types.empty()) return false;
    const auto wide = "i" + std::to_string(2 * type.bits);
    const char* const extend = isSigned(types[0]) ? "sext" : "zext";
    const auto one = body.value("{} {} %a0 to {}", extend, type.text, wide);
    const auto other = body.value("{} {} %a1 to {}", extend, type.text, wide);
    const auto high = body.value("lshr {} {}, {}", wide, body.value("mul {} {}, {}", wide, one, other), type.bits);
    const auto part = body.value("trunc {} {} to {}", wide, high, type.text);
    body.give(type, body.value("add {} {}, %a2", type.text, part));
    return true;
}

constexpr Builtin kMath[] = {
    {"native_powr", power},  {"half_powr", power},  {"native_tan", tangent},  {"half_tan", tangent},
    {"native_", fast, true}, {"half_", fast, true}, {"mad_hi", multiplyHigh},
};

}  // namespace

std::span<const Builtin> mathBuiltins() { return kMath; }

}  // namespace zetl::compiler
