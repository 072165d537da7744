#include "emulator/module/payload.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "binary/native_binary.h"
#include "isa/xe/architecture.h"

namespace zetl::emulator::module {
namespace {

std::uint32_t items(const LaunchShape& shape) { return shape.groupSize[0] * shape.groupSize[1] * shape.groupSize[2]; }

Extent product(const Extent& a, const Extent& b) { return {a[0] * b[0], a[1] * b[1], a[2] * b[2]}; }

/// Local id of the n-th work item of a group, by dimension.
Extent localId(const LaunchShape& shape, const std::array<std::uint8_t, 3>& order, std::uint32_t index) {
    Extent id{};
    for (const std::uint8_t dimension : order) {
        id[dimension] = index % shape.groupSize[dimension];
        index /= shape.groupSize[dimension];
    }
    return id;
}

/// Local memory of arguments is laid out one after the other. The compiled code adds the size of the kernel's own, so
/// offsets count from zero.
class LocalArguments {
  public:
    explicit LocalArguments(std::uint32_t gap) : gap_(gap) {}
    /// Offset of the argument.
    std::uint64_t place(const binary::PayloadArgument& piece, const ArgumentValue& value) {
        const std::uint64_t end = bytes_;
        const std::uint64_t begin = end == 0 ? 0 : end + gap_;
        const std::uint64_t at = (begin + piece.localAlignment - 1) / piece.localAlignment * piece.localAlignment;
        bytes_ = at + value.localBytes;
        if (gap_ != 0 && end != 0) gaps_.push_back({static_cast<std::uint32_t>(end), static_cast<std::uint32_t>(at)});
        return at;
    }
    const std::vector<LocalRange>& gaps() const noexcept { return gaps_; }
    std::uint64_t bytes() const noexcept { return bytes_; }

  private:
    const std::uint32_t gap_;
    std::uint64_t bytes_ = 0;
    std::vector<LocalRange> gaps_;
};

bool namesArgument(const binary::PayloadArgument& piece) {
    return piece.kind == binary::PayloadKind::pointer || piece.kind == binary::PayloadKind::localPointer ||
           piece.kind == binary::PayloadKind::value;
}

/// The error in the argument that a piece names; nothing if it can be placed.
const char* problemOf(const binary::PayloadArgument& piece, std::span<const ArgumentValue> arguments) {
    if (piece.argument >= arguments.size()) return "is not set";
    const binary::Bytes& bytes = arguments[piece.argument].bytes;
    const bool badPointer =
        piece.kind == binary::PayloadKind::pointer && !bytes.empty() && bytes.size() != sizeof(std::uint64_t);
    return badPointer ? "is a pointer but not given as 8 bytes" : nullptr;
}

/// Writes into the cross-thread data of one launch, whose arguments are in order.
class CrossThreadWriter {
  public:
    CrossThreadWriter(const binary::KernelImage& kernel, const LaunchShape& shape,
                      std::span<const ArgumentValue> arguments, const LaunchAddresses& addresses)
        : shape_(shape),
          arguments_(arguments),
          addresses_(addresses),
          bytes_(kernel.crossThreadBytes),
          local_(addresses.localGap) {}

    binary::Bytes run(const binary::KernelImage& kernel) {
        for (const binary::PayloadArgument& piece : kernel.payload) write(piece);
        return std::move(bytes_);
    }
    std::vector<LocalRange> gaps(std::uint32_t own) const {
        std::vector<LocalRange> gaps = local_.gaps();
        for (LocalRange& gap : gaps) gap = {gap.begin + own, gap.end + own};
        return gaps;
    }

  private:
    const LaunchShape& shape_;
    std::span<const ArgumentValue> arguments_;
    const LaunchAddresses& addresses_;
    binary::Bytes bytes_;
    LocalArguments local_;

    void put(const binary::PayloadArgument& piece, const void* value, std::size_t bytes) {
        std::memcpy(&bytes_[piece.offset], value, std::min<std::size_t>(piece.size, bytes));
    }
    void put(const binary::PayloadArgument& piece, std::uint64_t value) { put(piece, &value, sizeof value); }
    // Patch tokens list the three numbers one by one.
    void put(const binary::PayloadArgument& piece, const Extent& value) {
        const std::uint32_t first = std::min(piece.sourceOffset / 4, 2u);
        put(piece, &value[first], (value.size() - first) * sizeof value[0]);
    }

    void write(const binary::PayloadArgument& piece) {
        switch (piece.kind) {
            case binary::PayloadKind::globalIdOffset:
                put(piece, shape_.globalOffset);
                break;
            case binary::PayloadKind::localSize:
            case binary::PayloadKind::enqueuedLocalSize:
                put(piece, shape_.groupSize);
                break;
            case binary::PayloadKind::groupCount:
                put(piece, shape_.groupCount);
                break;
            case binary::PayloadKind::globalSize:
                put(piece, product(shape_.groupSize, shape_.groupCount));
                break;
            case binary::PayloadKind::workDimensions:
                put(piece, std::uint64_t{shape_.dimensions});
                break;
            case binary::PayloadKind::privateBase:
                put(piece, addresses_.privateBase);
                break;
            case binary::PayloadKind::printfBuffer:
                put(piece, addresses_.printfBuffer);
                break;
            case binary::PayloadKind::implicitArguments:
                put(piece, addresses_.implicitArguments);
                break;
            case binary::PayloadKind::constantBase:
                put(piece, addresses_.constants);
                break;
            case binary::PayloadKind::globalBase:
                put(piece, addresses_.variables);
                break;
            case binary::PayloadKind::assertBuffer:
                put(piece, addresses_.assertBuffer);
                break;
            case binary::PayloadKind::syncBuffer:
                put(piece, addresses_.syncBuffer);
                break;
            case binary::PayloadKind::scratchPointer:
                put(piece, addresses_.scratch);
                break;
            case binary::PayloadKind::inlineSampler:
                if (piece.argument < addresses_.inlineSamplers.size())
                    put(piece, addresses_.inlineSamplers[piece.argument]);
                break;
            case binary::PayloadKind::indirectData:
            case binary::PayloadKind::bufferOffset:
                put(piece, std::uint64_t{0});
                break;
            case binary::PayloadKind::pointer:
            case binary::PayloadKind::localPointer:
            case binary::PayloadKind::value:
                writeArgument(piece, arguments_[piece.argument]);
                break;
        }
    }

    void writeArgument(const binary::PayloadArgument& piece, const ArgumentValue& value) {
        if (piece.kind == binary::PayloadKind::localPointer) return put(piece, local_.place(piece, value));
        // Pieces may reach past a short value: the payload widens a char to a dword.
        if (piece.sourceOffset < value.bytes.size())
            put(piece, &value.bytes[piece.sourceOffset], value.bytes.size() - piece.sourceOffset);
    }
};

/// Three rows of u16 local ids, `stride` bytes apart, for the lanes of one thread.
void writeLocalIds(const binary::KernelImage& kernel, const LaunchShape& shape, std::uint32_t thread,
                   std::uint32_t stride, std::uint8_t* target) {
    const std::uint32_t simd = kernel.environment.simdSize;
    for (std::uint32_t lane = 0; lane < simd; ++lane) {
        const std::uint32_t index = thread * simd + lane;
        if (index >= items(shape)) return;
        const Extent id = localId(shape, kernel.environment.walkOrder, index);
        for (int dimension = 0; dimension < 3; ++dimension) {
            const auto value = static_cast<std::uint16_t>(id[dimension]);
            std::memcpy(target + dimension * stride + lane * sizeof value, &value, sizeof value);
        }
    }
}

}  // namespace

std::uint32_t LaunchShape::threads(std::uint32_t simdSize) const noexcept {
    return (items(*this) + simdSize - 1) / simdSize;
}

binary::Outcome<std::uint32_t> localMemoryWith(const binary::KernelImage& kernel,
                                               std::span<const ArgumentValue> arguments, std::uint32_t localGap) {
    LocalArguments local(localGap);
    for (const binary::PayloadArgument& piece : kernel.payload) {
        if (!namesArgument(piece)) continue;
        if (const char* problem = problemOf(piece, arguments))
            return binary::Error{binary::Cause::badArgument,
                                 fmt::format("kernel {}: argument {} {}", kernel.name, piece.argument, problem)};
        if (piece.kind == binary::PayloadKind::localPointer) local.place(piece, arguments[piece.argument]);
    }
    const std::uint64_t bytes = kernel.environment.slmBytes + local.bytes();
    if (bytes > binary::kMaxSlmBytes)
        return binary::Error{binary::Cause::limit,
                             fmt::format("kernel {} needs {} bytes of local memory, a group has {}", kernel.name, bytes,
                                         binary::kMaxSlmBytes)};
    return static_cast<std::uint32_t>(bytes);
}

binary::Outcome<CrossThreadData> crossThreadData(const binary::KernelImage& kernel, const LaunchShape& shape,
                                                 std::span<const ArgumentValue> arguments,
                                                 const LaunchAddresses& addresses) {
    const auto slmBytes = localMemoryWith(kernel, arguments, addresses.localGap);
    if (!slmBytes) return slmBytes.error();
    CrossThreadWriter writer(kernel, shape, arguments, addresses);
    binary::Bytes bytes = writer.run(kernel);
    return CrossThreadData{std::move(bytes), *slmBytes, writer.gaps(kernel.environment.slmBytes)};
}

bool hardwareMakesLocalIds(const binary::KernelImage& kernel, const LaunchShape& shape) noexcept {
    constexpr std::uint32_t kMostItems = 1024;
    if (kernel.environment.simdSize == 1) return false;
    if (!kernel.perThread) return true;
    if (kernel.perThread->packedLocalIds || items(shape) > kMostItems) return false;
    // It counts by masks: all but the dimension that varies last.
    const auto odd =
        std::ranges::count_if(shape.groupSize, [](std::uint32_t size) { return !std::has_single_bit(size); });
    const std::array<std::uint8_t, 3>& order = kernel.environment.walkOrder;
    const bool ordered = order != std::array<std::uint8_t, 3>{0, 1, 2};
    return odd == 0 || (odd == 1 && (!ordered || !std::has_single_bit(shape.groupSize[order[2]])));
}

binary::Bytes perThreadData(const binary::KernelImage& kernel, const LaunchShape& shape, std::uint32_t thread) {
    if (!kernel.perThread) return {};
    const std::uint32_t stride =
        kernel.perThread->packedLocalIds ? sizeof(std::uint16_t) : zetl::isa::xe::kRegisterBytes;
    binary::Bytes block(std::max(kernel.perThread->size, 3 * stride));
    writeLocalIds(kernel, shape, thread, stride, block.data());
    block.resize(kernel.perThread->size);
    return block;
}

binary::Bytes perThreadBlocks(const binary::KernelImage& kernel, const LaunchShape& shape) {
    binary::Bytes blocks;
    const std::uint32_t threads = kernel.perThread ? shape.threads(kernel.environment.simdSize) : 0;
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
        const binary::Bytes block = perThreadData(kernel, shape, thread);
        blocks.insert(blocks.end(), block.begin(), block.end());
    }
    return blocks;
}

binary::Bytes localIdTable(const binary::KernelImage& kernel, const LaunchShape& shape) {
    const std::uint32_t rowBytes = std::max(kernel.environment.simdSize, 16u) * sizeof(std::uint16_t);
    const std::uint32_t threads = shape.threads(kernel.environment.simdSize);
    binary::Bytes table(std::size_t{threads} * 3 * rowBytes);
    for (std::uint32_t thread = 0; thread < threads; ++thread)
        writeLocalIds(kernel, shape, thread, rowBytes, &table[std::size_t{thread} * 3 * rowBytes]);
    return table;
}

binary::Bytes implicitArguments(const binary::KernelImage& kernel, const LaunchShape& shape, std::uint64_t printfBuffer,
                                std::uint64_t localIdTable) {
    struct Record {
        std::uint8_t bytes = kImplicitArgumentBytes;
        std::uint8_t version = 0;
        std::uint8_t dimensions;
        std::uint8_t simd;
        std::uint32_t localSize[3];
        std::uint64_t globalSize[3];
        std::uint64_t printfBuffer;
        std::uint64_t globalOffset[3];
        std::uint64_t localIdTable;
        std::uint32_t groupCount[3];
        std::uint32_t reserved = 0;
    };
    static_assert(sizeof(Record) == kImplicitArgumentBytes);
    Record record{.dimensions = static_cast<std::uint8_t>(shape.dimensions),
                  .simd = static_cast<std::uint8_t>(kernel.environment.simdSize),
                  .localSize = {},
                  .globalSize = {},
                  .printfBuffer = printfBuffer,
                  .globalOffset = {},
                  .localIdTable = localIdTable,
                  .groupCount = {}};
    for (int i = 0; i < 3; ++i) {
        record.localSize[i] = shape.groupSize[i];
        record.globalSize[i] = std::uint64_t{shape.groupSize[i]} * shape.groupCount[i];
        record.globalOffset[i] = shape.globalOffset[i];
        record.groupCount[i] = shape.groupCount[i];
    }
    binary::Bytes bytes(sizeof record);
    std::memcpy(bytes.data(), &record, sizeof record);
    return bytes;
}

}  // namespace zetl::emulator::module
