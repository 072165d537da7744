// The arguments of a recorded call, as a timeline shows them.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "recording/format.h"
#include "recording/functions.h"
#include "timeline/device_view.h"

namespace zetl::command {

/// Kernel names by handle, so that a launch can say what it launches.
using KernelNames = std::unordered_map<std::uint64_t, std::string>;

/// Calls of the function make kernels.
bool makesKernels(const Function& function);
/// For such a call: the kernel's handle, if the call succeeded, with its name. A reused handle keeps its
/// latest name.
void noteKernel(const Record& record, KernelNames& kernels);

std::string hexadecimal(std::uint64_t value);
/// "64 x 2 x 1"
std::string sizeText(const std::uint32_t (&size)[3]);

struct ShownArgument {
    enum class Form { number, boolean, address, text };
    std::string_view name;
    Form form = Form::number;
    std::uint64_t number = 0;
    std::string text;  ///< only if it is a text
};

/// How an argument of this kind is shown, and as what text.
ShownArgument::Form formOf(Kind kind);
void textFor(Kind kind, const std::uint64_t* payload, std::string& text);
void show(Kind kind, const std::uint64_t* payload, ShownArgument& shown);
void showResult(const Function& function, const Record& record, ShownArgument& shown);

/// All arguments in order, each kernel handle followed by the kernel's name, and the result last.
template <class Visit>
void forEachArgument(const Record& record, const KernelNames& kernels, const Visit& visit) {
    const auto& function = functions()[record.function];
    const auto* payload = record.payload();
    ShownArgument shown;
    for (const auto& [name, kind, words] : function.arguments) {
        shown.name = name;
        show(kind, payload, shown);
        visit(shown);
        if (name == "hKernel")
            if (const auto found = kernels.find(*payload); found != kernels.end())
                visit({"kernel", ShownArgument::Form::text, 0, found->second});
        payload += words;
    }
    if (record.end == 0) return;
    showResult(function, record, shown);
    visit(shown);
}

}  // namespace zetl::command
