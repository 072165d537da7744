// Modules: PTX is looked through for its kernels.
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cubin.h"
#include "stand_in.h"

struct CUmod_st {
    std::vector<std::unique_ptr<CUfunc_st>> functions;
    struct Global {
        CUdeviceptr place = 0;
        std::size_t bytes = 0;
    };
    std::map<std::string, Global> globals;
};

struct CUlinkState_st {
    std::string text;  ///< of all modules
    std::string image;
    char* errors = nullptr;
    std::uintptr_t optimization = 4;
    bool debugInfo = false;
};

namespace {

using zetl::test::Match;
using zetl::test::matchesOf;

std::string textOf(const void* image) {
    const char* text = static_cast<const char*>(image);
    return std::memcmp(text, ELFMAG, SELFMAG) == 0 ? text + sizeof(Elf64_Ehdr) : text;
}

std::unique_ptr<CUfunc_st> functionOf(const Match& entry) {
    auto function = std::make_unique<CUfunc_st>();
    function->name = entry[1];
    function->body = stand_in::kernelNamed(function->name);
    for (const Match& parameter : matchesOf(R"(\.param \.u(32|64))", entry[2]))
        function->sizes.push_back(parameter[1] == "32" ? 4 : 8);
    return function;
}

/// What nvlink says of a name that no module defines, or more than one; empty if it links.
std::string linkErrorOf(const std::string& text) {
    const std::string name = R"(\s+(?:\([^)]*\)\s*)?(\w+))";
    std::set<std::string> defined;
    for (const Match& each : matchesOf(R"(\.visible \.(?:func|entry))" + name, text))
        if (!defined.insert(each[1]).second) return "Multiple definition of '" + each[1] + "'";
    for (const Match& each : matchesOf(R"(\.visible \.global [^;]*\.\w+ (\w+)(?:\[\d+\])?(?: =|;))", text))
        if (!defined.insert(each[1]).second) return "Multiple definition of '" + each[1] + "'";
    auto wanted = matchesOf(R"(\.extern \.func)" + name, text);
    const auto variables = matchesOf(R"(\.extern \.global [^;]*\.\w+ (\w+)(?:\[\d*\])?;)", text);
    wanted.insert(wanted.end(), variables.begin(), variables.end());
    for (const Match& each : wanted)
        if (each[1] != "vprintf" && !defined.contains(each[1])) return "Undefined reference to '" + each[1] + "'";
    return {};
}

}  // namespace

CUdeviceptr stand_in::placeOf(CUmodule module, const std::string& global) { return module->globals.at(global).place; }

CUresult cuLinkCreate(unsigned count, CUjit_option* names, void** values, CUlinkState* link) {
    ANSWER_AS_SCRIPTED;
    *link = new CUlinkState_st;
    for (unsigned i = 0; i < count; ++i) {
        if (names[i] == CU_JIT_ERROR_LOG_BUFFER) (*link)->errors = static_cast<char*>(values[i]);
        if (names[i] == CU_JIT_OPTIMIZATION_LEVEL) (*link)->optimization = reinterpret_cast<std::uintptr_t>(values[i]);
        if (names[i] == CU_JIT_GENERATE_DEBUG_INFO) (*link)->debugInfo = values[i] != nullptr;
    }
    return CUDA_SUCCESS;
}
CUresult cuLinkAddData(CUlinkState link, CUjitInputType, void* data, std::size_t, const char*, unsigned, CUjit_option*,
                       void**) {
    ANSWER_AS_SCRIPTED;
    const std::string text(static_cast<const char*>(data));
    if (text.find("broken!") != std::string::npos) {
        std::strcpy(link->errors, "line 4: parsing error near 'broken!'");
        return CUDA_ERROR_INVALID_PTX;
    }
    if (link->debugInfo && link->optimization != 0) {
        std::strcpy(link->errors, "ptxas fatal   : Optimized debugging not supported");
        return CUDA_ERROR_INVALID_PTX;
    }
    link->text += text;
    return CUDA_SUCCESS;
}
CUresult cuLinkComplete(CUlinkState link, void** image, std::size_t* bytes) {
    ANSWER_AS_SCRIPTED;
    if (const std::string error = linkErrorOf(link->text); !error.empty()) {
        std::strcpy(link->errors, error.c_str());
        return CUDA_ERROR_INVALID_PTX;
    }
    link->image = stand_in::cubinOf(link->text);
    *image = link->image.data();
    *bytes = link->image.size() + 1;
    return CUDA_SUCCESS;
}
CUresult cuLinkDestroy(CUlinkState link) {
    delete link;
    return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
    ANSWER_AS_SCRIPTED;
    const std::string text = textOf(image);
    if (text.find(".ptr .shared") != std::string::npos) return CUDA_ERROR_INVALID_IMAGE;  // that is for OpenCL's driver
    *module = new CUmod_st;
    for (const Match& entry : matchesOf(R"(\.entry (\w+)\(([^)]*)\))", text)) {
        (*module)->functions.push_back(functionOf(entry));
        (*module)->functions.back()->module = *module;
    }
    std::uint64_t functions = 0;
    for (const Match& global : matchesOf(R"(\.visible \.(?:global|const) [^;]*\.u(32|64) (\w+) = (\w+);)", text)) {
        auto& made = (*module)->globals[global[2]];
        made.bytes = global[1] == "32" ? 4 : 8;
        cuMemAlloc(&made.place, made.bytes);
        const std::string& value = global[3];
        const bool isNumber = value.find_first_not_of("0123456789") == std::string::npos;
        const std::uint64_t number = isNumber ? std::stoull(value) : (functions += 8);  // as CUDA counts functions
        std::memcpy(reinterpret_cast<void*>(made.place), &number, made.bytes);
    }
    return CUDA_SUCCESS;
}
CUresult cuModuleUnload(CUmodule module) {
    delete module;
    return CUDA_SUCCESS;
}
CUresult cuModuleGetFunctionCount(unsigned* count, CUmodule module) {
    *count = static_cast<unsigned>(module->functions.size());
    return CUDA_SUCCESS;
}
CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned count, CUmodule module) {
    for (unsigned i = 0; i < count; ++i) functions[i] = module->functions[i].get();
    return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
    ANSWER_AS_SCRIPTED;
    const auto& all = module->functions;
    const auto known = std::find_if(all.begin(), all.end(), [name](const auto& one) { return one->name == name; });
    if (known == all.end()) return CUDA_ERROR_NOT_FOUND;
    *function = known->get();
    return CUDA_SUCCESS;
}
CUresult cuModuleGetGlobal(CUdeviceptr* place, std::size_t* bytes, CUmodule module, const char* name) {
    const auto found = module->globals.find(name);
    if (found == module->globals.end()) return CUDA_ERROR_NOT_FOUND;
    *place = found->second.place;
    *bytes = found->second.bytes;
    return CUDA_SUCCESS;
}
CUresult cuFuncGetName(const char** name, CUfunction function) {
    *name = function->name.c_str();
    return CUDA_SUCCESS;
}
CUresult cuFuncLoad(CUfunction) { return CUDA_SUCCESS; }
CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction) {
    *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : 0;
    return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction, CUfunction_attribute, int) { return CUDA_SUCCESS; }
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int size, std::size_t) {
    *blocks = std::min(32, 2048 / size);
    return CUDA_SUCCESS;
}
