#include "instrumentation/parts/program.h"

#include "instrumentation/sass/program.h"
#include "instrumentation/xe/program.h"

namespace zetl::instrumentation {

Program::Program(std::unique_ptr<Content> content) : content_(std::move(content)) {}
Program::~Program() = default;

std::unique_ptr<Program> Program::read(std::span<const std::uint8_t> bytes, std::string& failure) {
    auto content = looksLikeCubin(bytes) ? readCubin(bytes) : readXe(bytes);
    if (content) return std::unique_ptr<Program>(new Program(*std::move(content)));
    failure = content.error().message;
    return nullptr;
}

std::vector<Section>& Program::sections() noexcept { return content_->sections; }

std::vector<std::uint8_t> Program::write(std::string& failure) const {
    auto written = content_->write();
    if (written) return *std::move(written);
    failure = written.error().message;
    return {};
}

}  // namespace zetl::instrumentation
