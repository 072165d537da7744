// Any bytes as printf buffer, whose strings lie in the same bytes.
#include "binary/byte_view.h"
#include "emulator/module/printf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace zetl::emulator::module;
    const zetl::binary::ByteView bytes(data, size);
    (void)printfText({data, size}, [&](std::uint64_t address, std::size_t longest) -> std::optional<std::string> {
        const auto text = bytes.text(address % (size + 1));
        return text ? std::optional<std::string>(text->substr(0, longest)) : std::nullopt;
    });
    return 0;
}
