#include <algorithm>
#include <memory>

#include "emulator/isa/flow.h"
#include "emulator/isa/image_access.h"
#include "emulator/isa/lower/message.h"

namespace zetl::emulator::isa {
namespace {

using zetl::isa::xe::ImageMessage;
using zetl::isa::xe::ImageOperation;

/// Parameters follow one another through the registers of the first source and then of the second.
class Payload {
  public:
    Payload(MessageLowering& m, const ImageMessage& message) : m_(m), first_(message.payloadRegisters) {
        const auto behind = static_cast<std::uint32_t>(std::max<int>(m.message.src1Registers, 0));
        all_ = m.isGathered() ? first_ : first_ + (m.in.source[1].isGrf() ? behind : 0);
    }
    std::uint32_t registers() const noexcept { return all_; }
    /// The place of registers that are in one source.
    std::uint32_t place(std::uint32_t number, std::uint32_t count) {
        const std::uint32_t bytes = count * layout::kRegisterBytes;
        if (number + count > all_) m_.refuse("with a payload that is too short");
        if (m_.isGathered() || number + count <= first_)
            return m_.address((number + count) * layout::kRegisterBytes) + number * layout::kRegisterBytes;
        if (number < first_) m_.refuse("with a parameter in both sources");
        const std::uint32_t behind = (number - first_) * layout::kRegisterBytes;
        return m_.data(behind + bytes) + behind;
    }

  private:
    MessageLowering& m_;
    std::uint32_t first_;
    std::uint32_t all_ = 0;
};

bool isBlock(const ImageMessage& message) noexcept {
    return message.operation == ImageOperation::blockLoad || message.operation == ImageOperation::blockStore;
}
bool stores(const ImageMessage& message) noexcept {
    return message.operation == ImageOperation::typedStore || message.operation == ImageOperation::blockStore;
}

}  // namespace

void lowerImage(MessageLowering& m) {
    const auto message = zetl::isa::xe::imageMessageOf(m.in);
    if (!m.hasImages()) m.refuse("on a device without images");
    if (!message) m.refuse("of this form");
    if (message->operation == ImageOperation::fence) {
        m.emit(memoryFence);
        return;
    }
    ImageAccess access{.message = *message};
    access.surfaceAt = layout::kAddress + m.message.extendedSub * std::uint32_t{sizeof(std::uint32_t)};
    Payload payload(m, *message);
    const std::uint32_t row = message->rowRegisters();
    std::uint32_t next = message->header ? 1 : 0;
    if (message->header) access.headerAt = payload.place(0, 1);
    // The data of a store come behind its coordinates.
    const auto components = static_cast<std::uint32_t>(std::popcount(message->components));
    const std::uint32_t dataRegisters = stores(*message) && !isBlock(*message) ? components * row : 0;
    const std::uint32_t end = m.isGathered() && payload.registers() >= dataRegisters
                                  ? payload.registers() - dataRegisters
                                  : std::uint32_t{message->payloadRegisters};
    if (isBlock(*message)) {
        access.rows[0] = payload.place(0, 1);
        access.rowCount = payload.registers() - 1;
        if (stores(*message)) access.data = payload.place(1, access.rowCount);
    } else {
        const std::uint32_t last = stores(*message) ? end : payload.registers();
        for (; next + row <= last && access.rowCount < ImageAccess::kMostRows; next += row)
            access.rows[access.rowCount++] = payload.place(next, row);
        if (stores(*message)) access.data = payload.place(end, dataRegisters);
    }
    access.result = m.result(message->replyRegisters * layout::kRegisterBytes);
    if (!stores(*message) && !m.hasResult()) return;  // a prefetch
    const auto kept = std::make_shared<const ImageAccess>(access);
    const bool atOnce = message->samples() || message->operation == ImageOperation::load ||
                        message->operation == ImageOperation::typedLoad;
    m.emit(atOnce ? m.table.sample : imageMessage).src[0] = reinterpret_cast<std::uint64_t>(kept.get());
    m.keep(kept);
}

}  // namespace zetl::emulator::isa
