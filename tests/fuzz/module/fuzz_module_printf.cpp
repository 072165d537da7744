// Any bytes as printf buffer, whose strings lie in the same bytes, or have numbers.
#include "binary/byte_view.h"
#include "emulator/module/printf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace zetl::emulator::module;
    const zetl::binary::ByteView bytes(data, size);
    const auto read = [&](std::uint64_t address, std::size_t longest) -> std::optional<std::string> {
        const auto text = bytes.text(address % (size + 1));
        return text ? std::optional<std::string>(text->substr(0, longest)) : std::nullopt;
    };
    (void)printfText({data, size}, read);
    const zetl::binary::NumberedStrings numbered{{0, "%d %s %5.2v4f\n"}, {3, "%p%hhd"}, {4, "%c%%"}};
    (void)printfText({data, size}, read, &numbered);
    return 0;
}
