#include "call_arguments.h"

#include <fmt/format.h>

#include "result_name.h"

namespace zetl::command {
namespace {

using Form = ShownArgument::Form;

Form formOf(Kind kind) {
    switch (kind) {
        case Kind::number:
        case Kind::number64:
        case Kind::enumerator:
        case Kind::outCount:
        case Kind::outNumber64:
            return Form::number;
        case Kind::boolean:
            return Form::boolean;
        case Kind::text:
        case Kind::kernelDescription:
        case Kind::groups:
        case Kind::structure:
            return Form::text;
        default:
            return Form::address;
    }
}

std::string textFor(Kind kind, const std::uint64_t* payload) {
    if (kind == Kind::structure) return "(by value)";
    if (kind != Kind::groups) return textOf(payload, wordsOf(kind));
    return fmt::format("{} x {} x {}", *payload & UINT32_MAX, *payload >> 32, payload[1] & UINT32_MAX);
}

}  // namespace

std::string hexadecimal(std::uint64_t value) { return fmt::format("{:#x}", value); }

void show(Kind kind, const std::uint64_t* payload, ShownArgument& shown) {
    shown.form = formOf(kind);
    if (shown.form == Form::text)
        shown.text = textFor(kind, payload);
    else
        shown.number = *payload;
}

void showResult(const Function& function, const Record& record, ShownArgument& shown) {
    shown.name = "result";
    shown.form = function.returnsValue ? Form::address : Form::text;
    shown.number = record.result;
    if (!function.returnsValue) shown.text = resultName(record.result);
}

void noteKernel(const Record& record, KernelNames& kernels) {
    const auto& function = functions()[record.function];
    if (function.name != "zeKernelCreate" || record.end == 0 || record.result != 0) return;
    const auto* description = record.payload() + wordsOf(Kind::handle);
    kernels[description[wordsOf(Kind::kernelDescription)]] = textOf(description, wordsOf(Kind::kernelDescription));
}

}  // namespace zetl::command
