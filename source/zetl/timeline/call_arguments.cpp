#include "timeline/call_arguments.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>

#include "text/result_name.h"

namespace zetl::command {

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

void textFor(Kind kind, const std::uint64_t* payload, std::string& text) {
    text.clear();
    if (kind == Kind::structure)
        text = "(by value)";
    else if (kind != Kind::groups)
        text = textOf(payload, wordsOf(kind));
    else
        fmt::format_to(std::back_inserter(text), FMT_COMPILE("{} x {} x {}"), *payload & UINT32_MAX, *payload >> 32,
                       payload[1] & UINT32_MAX);
}

std::string hexadecimal(std::uint64_t value) { return fmt::format("{:#x}", value); }

std::string sizeText(const std::uint32_t (&size)[3]) {
    return fmt::format(FMT_COMPILE("{} x {} x {}"), size[0], size[1], size[2]);
}

void show(Kind kind, const std::uint64_t* payload, ShownArgument& shown) {
    shown.form = formOf(kind);
    if (shown.form == Form::text)
        textFor(kind, payload, shown.text);
    else
        shown.number = *payload;
}

void showResult(const Function& function, const Record& record, ShownArgument& shown) {
    shown.name = "result";
    shown.form = function.returnsValue ? Form::address : Form::text;
    shown.number = record.result;
    if (!function.returnsValue) shown.text = resultName(record.result);
}

bool makesKernels(const Function& function) { return function.name == "zeKernelCreate"; }

void noteKernel(const Record& record, KernelNames& kernels) {
    if (record.end == 0 || record.result != 0) return;
    const auto* description = record.payload() + wordsOf(Kind::handle);
    kernels[description[wordsOf(Kind::kernelDescription)]] = textOf(description, wordsOf(Kind::kernelDescription));
}

}  // namespace zetl::command
