#include <ze_tools_layer/instrumentation.h>

#include "binary/native_binary.h"
#include "instrumentation/program_edit.h"
#include "instrumentation/section.h"

namespace zetl::instrumentation {

struct Program::Content {
    binary::ModulePointer module;
    std::vector<Section> sections;
};

Program::Program(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Program::~Program() = default;

std::unique_ptr<Program> Program::read(std::span<const std::uint8_t> bytes, std::string& failure) {
    auto module = binary::readNative(bytes);
    if (!module) {
        failure = module.error().message;
        return nullptr;
    }
    auto content = std::make_unique<Content>(Content{*std::move(module), {}});
    for (std::uint32_t i = 0; i < content->module->code.size(); ++i)
        content->sections.emplace_back(std::make_unique<Section::Content>(*content->module, i));
    return std::unique_ptr<Program>(new Program(std::move(content)));
}

std::vector<Section>& Program::sections() noexcept { return content_->sections; }

std::vector<std::uint8_t> Program::write(std::string& failure) const {
    auto written = writeProgram(*content_->module, content_->sections);
    if (written) return *std::move(written);
    failure = written.error().message;
    return {};
}

}  // namespace zetl::instrumentation
