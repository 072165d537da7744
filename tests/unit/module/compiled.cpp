#include "compiled.h"

#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <tuple>

namespace zetl::emulator::module {

const binary::Bytes& compiled(const std::string& source, const std::string& flags, bool zebin) {
    static std::mutex mutex;
    static std::map<std::tuple<std::string, std::string, bool>, binary::Bytes> cache;
    std::lock_guard guard(mutex);
    binary::Bytes& binary = cache[{source, flags, zebin}];
    if (!binary.empty()) return binary;
    const auto* text = reinterpret_cast<const std::uint8_t*>(source.data());
    CompileResult result = compile({.language = CompileRequest::Language::openclC,
                                    .source = {text, source.size()},
                                    .buildFlags = flags,
                                    .constants = {},
                                    .zebin = zebin});
    EXPECT_TRUE(result) << result.log;
    return binary = std::move(result.binary);
}

binary::ModulePointer readCompiled(const std::string& source, const std::string& flags, bool zebin) {
    auto image = binary::readNative(compiled(source, flags, zebin));
    if (!image) throw std::runtime_error(image.error().message);
    return *image;
}

}  // namespace zetl::emulator::module
