// Any bytes as SPIR-V, with every constant it declares set, and taken apart.
#include "binary/spirv.h"
#include "binary/spirv_builtins.h"
#include "binary/spirv_local_pointers.h"
#include "binary/spirv_logic.h"
#include "binary/spirv_merging_loads.h"
#include "binary/spirv_parts.h"
#include "binary/spirv_pointers.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace zetl::binary;
    (void)localPointerArguments({data, size});
    const auto module = readSpirv({data, size});
    if (!module) return 0;
    std::vector<SpecValue> values;
    for (const SpecConstant& constant : module->specConstants)
        values.push_back({constant.id, Bytes(constant.bytes, 0xa5)});
    auto made = specialize(*module, values);
    if (!made) return 0;
    for (const Bytes& part : partsOf(*made)) (void)readSpirv(part);
    (void)withPlainLoads(withoutLogicalNot(withPointersAsIntegers(withBuiltinsReadWhole(*std::move(made)))));
    return 0;
}
