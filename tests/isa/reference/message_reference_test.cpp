// Random messages to memory by the steps of every table and by the reference: registers and memory, bit for bit.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "emulator/isa/observe.h"
#include "isa/xe/architecture.h"
#include "lone_thread.h"
#include "reference/moved_message.h"
#include "reference/older_message.h"
#include "reference/surface_block.h"

namespace zetl::test::reference {
namespace {

constexpr std::uint32_t kCodeBase = 0x10000;
constexpr std::size_t kEndBytes = 2 * std::size_t{kInstructionBytes};  // the end of a thread

/// What observers of the message that is about to execute see wrongly.
std::string misobserved(const isa::Thread& t, const Touched& want) {
    const auto access = isa::accessOf(t, 0);
    if (!access) return want.lanes == 0 ? "" : "nothing to observe";
    if (access->lanes != want.lanes) return fmt::format("lanes {:x}, should be {:x}", access->lanes, want.lanes);
    if (want.lanes == 0) return "";
    if (access->bytesPerLane != want.bytesPerLane) return fmt::format("{} bytes a lane", access->bytesPerLane);
    if (static_cast<int>(access->space) != static_cast<int>(want.space)) return "the space";
    if (access->write != want.writes || access->atomic != (want.reads && want.writes)) return "reads and writes";
    for (std::uint32_t lane = 0; lane < want.address.size(); ++lane)
        if ((want.lanes >> lane & 1) != 0 && access->address[lane] != want.address[lane])
            return fmt::format("address {:x} of lane {}", access->address[lane], lane);
    return "";
}
/// Bytes that are counted wrongly.
bool miscounted(const isa::Traffic& is, const Touched& want) {
    isa::Traffic traffic{};
    const auto add = [&](std::uint64_t& read, std::uint64_t& written) {
        read += want.reads ? want.bytes() : 0;
        written += want.writes ? want.bytes() : 0;
    };
    if (want.space == Space::global) add(traffic.globalRead, traffic.globalWritten);
    if (want.space == Space::local) add(traffic.localRead, traffic.localWritten);
    if (want.space == Space::scratch) add(traffic.scratchRead, traffic.scratchWritten);
    return is.globalRead != traffic.globalRead || is.globalWritten != traffic.globalWritten ||
           is.localRead != traffic.localRead || is.localWritten != traffic.localWritten ||
           is.scratchRead != traffic.scratchRead || is.scratchWritten != traffic.scratchWritten;
}

class Messengers {
  public:
    explicit Messengers(const isa::Architecture& architecture)
        : architecture_(architecture), global_(thread_.allocate(4096)), tables_(usableTables()) {}

    std::uint64_t globalAddress() const { return LoneThread::addressOf(global_); }
    /// What differs.
    template <class Program>
    std::string compare(const Program& p, const Code& code) {
        State want = p.registers;
        Memories memory = p.memory;
        execute(p.message, want, memory);
        for (const isa::StepTable* table : tables_) {
            const std::string what = run(p, code, *table, want, memory);
            if (!what.empty()) return std::string(table->name) + ": " + what;
        }
        return {};
    }

  private:
    const isa::Architecture& architecture_;
    LoneThread thread_;
    std::vector<std::byte>& global_;
    std::vector<const isa::StepTable*> tables_;

    template <class Program>
    std::string run(const Program& p, const Code& code, const isa::StepTable& table, const State& want,
                    const Memories& memory) {
        isa::Thread& t = thread_.thread();
        t.reset();
        thread_.local = p.memory.local;
        thread_.scratch = p.memory.scratch;
        thread_.payload = p.memory.payload;
        std::ranges::copy(p.memory.global, global_.begin());
        thread_.load(code, p.lanes, {.architecture = &architecture_, .base = kCodeBase, .markLines = true}, table);
        std::copy(p.registers.bytes, p.registers.bytes + layout::kStatus, t.state);
        const Touched touched = touchedBy(p.message, p.registers);
        if (const std::string what = misobserved(t, touched); !what.empty()) return "observed: " + what;
        t.traffic = {};
        if (!isa::runWithin(t, kCodeBase, kCodeBase + kInstructionBytes)) return "stopped: " + describe(t.fault);
        if (miscounted(t.traffic, touched)) return "bytes counted";
        for (std::uint32_t at = 0; at < layout::kFlags + 16; at += 4) {
            std::uint32_t is = 0;
            std::memcpy(&is, t.state + at, sizeof is);
            if (is != want.read(at, 4))
                return fmt::format("r{}.{} is {:x}, should be {:x}, was {:x}", at / 64, at % 64 / 4, is,
                                   want.read(at, 4), p.registers.read(at, 4));
        }
        if (global_ != memory.global) return "global memory";
        if (thread_.local != memory.local) return "local memory";
        if (thread_.payload != memory.payload) return "payload";
        return thread_.scratch == memory.scratch ? "" : "scratch memory";
    }
};

constexpr std::uint64_t kBatch = 2000;  // assembled at once
std::uint64_t programsOr(std::uint64_t few) {
    const char* more = std::getenv("ZETL_TEST_MESSAGE_PROGRAMS");
    return more != nullptr ? std::strtoull(more, nullptr, 10) : few;
}

/// Draws programs by number and the address of global memory, and shows each to `seen`.
template <class Draw, class Seen>
void agree(std::uint64_t count, const Draw& draw, const Seen& seen, const isa::Architecture& architecture) {
    Messengers messengers(architecture);
    const bool moves = architecture.messages == zetl::isa::xe::MessageForm::sendWithOffset;
    for (std::uint64_t first = 0; first < count; first += kBatch) {
        std::string text;
        std::vector<decltype(draw(first, first))> programs;
        for (std::uint64_t n = first; n < first + kBatch; ++n) {
            programs.push_back(draw(n, messengers.globalAddress()));
            text += programs.back().message.assembly() + "\n";
        }
        const Code all = assembleProgram(text);
        ASSERT_EQ(all.size(), kBatch * kInstructionBytes + kEndBytes);
        const auto at = [&](std::size_t n) { return all.begin() + static_cast<std::ptrdiff_t>(n * kInstructionBytes); };
        for (std::size_t n = 0; n < programs.size(); ++n) {
            Code code(at(n), at(n + 1));
            code.insert(code.end(), at(kBatch), all.end());
            auto& p = programs[n];
            if (moves) move(p, code);
            seen(p.message);
            ASSERT_EQ(messengers.compare(p, code), "")
                << "message " << p.number << ", lanes " << std::hex << p.lanes << ", flag "
                << p.registers.read(layout::kFlags, 4) << ": " << p.message.assembly();
        }
    }
}

void agreeOnMessages(const isa::Architecture& architecture) {
    std::set<std::uint32_t> tried;   // kinds and operations
    std::set<std::uint32_t> placed;  // spaces, sizes of addresses and how they are given
    std::set<std::uint32_t> older;   // types of the older ports' messages
    bool inRegisters = false;        // a descriptor
    std::set<Space> moved;           // spaces whose addresses an offset moves
    const auto seen = [&](const MemoryMessage& m) {
        if (m.moved != 0) moved.insert(m.space);
        tried.insert(static_cast<std::uint32_t>(m.kind) << 8 | m.operation | m.isPrefetch() << 16);
        inRegisters |= m.fromRegister;
        if (m.port != MemoryMessage::Port::cache)
            older.insert(static_cast<std::uint32_t>(m.port) << 8 | (m.older >> 14 & 31));
        else if (!m.isScratchBlock())
            placed.insert(static_cast<std::uint32_t>(m.space) << 8 | m.addressBytes << 2 | m.transposed << 1 |
                          m.strided);
    };
    agree(programsOr(4000), messageProgram, seen, architecture);
    EXPECT_EQ(moved.size(), architecture.messages == zetl::isa::xe::MessageForm::send ? 0u : 4u);
    constexpr std::size_t kAtomics = atomic::kXor - atomic::kIncrement + 1;
    constexpr std::size_t kOlderAtomics = 2;
    constexpr std::size_t kPrefetches = 3;
    EXPECT_EQ(tried.size(), 9 + kPrefetches + kAtomics + kOlderAtomics);
    EXPECT_TRUE(inRegisters);
    EXPECT_EQ(older.size(), olderTypes());
    EXPECT_EQ(placed.size(), 3 * 3 + 2 + 1u) << "lanes, blocks and strides; no strides of 16 bits; blocks of payload";
}
TEST(MessageReference, AgreesWithTheStepsOnRandomMessages) { agreeOnMessages(isa::kXeHpc); }
TEST(MessageReference, AgreesWithTheStepsOnRandomMessagesOfXe2) { agreeOnMessages(zetl::isa::xe::kXe2); }

/// The sides of the surface that the blocks go beyond, one bit each.
std::uint32_t sidesLeft(const SurfaceBlock& m) {
    const std::int64_t right = std::int64_t{m.x} + m.width * m.blocks;
    const std::int64_t below = std::int64_t{m.y} + m.height;
    return (m.x < 0) | (m.y < 0) << 1 | (right > m.surfaceWidth / m.elementBytes) << 2 | (below > m.surfaceHeight) << 3;
}

/// Whether vectors may take the block to registers, if it is packed or transposed.
bool isOfVectors(const SurfaceBlock& m) {
    const bool wide = m.packed ? m.width == 16 : m.elementBytes == 4 && m.width % 4 == 0 && m.height % 4 == 0;
    return m.kind == SurfaceBlock::Kind::load && m.transposed != m.packed && wide && sidesLeft(m) == 0;
}

void agreeOnBlocks(const isa::Architecture& architecture) {
    std::set<std::uint32_t> tried;
    std::set<std::uint32_t> left;
    std::set<std::uint32_t> ofVectors;
    const auto seen = [&](const SurfaceBlock& m) {
        tried.insert(static_cast<std::uint32_t>(m.kind) << 8 | m.elementBytes << 2 | m.transposed << 1 | m.packed);
        left.insert(sidesLeft(m));
        if (isOfVectors(m)) ofVectors.insert(m.elementBytes);
    };
    agree(programsOr(2000), surfaceProgram, seen, architecture);
    constexpr std::size_t kLoads = 2 * 4 + 2 * 2;  // bytes and words may be packed
    EXPECT_EQ(tried.size(), kLoads * 2 + 4) << "loads and prefetches in all orders, stores in one";
    EXPECT_EQ(left.size(), 16u);
    EXPECT_EQ(ofVectors, (std::set<std::uint32_t>{1, 2, 4})) << "bytes and words packed, dwords transposed";
}
TEST(MessageReference, AgreesWithTheStepsOnRandomBlocksOfSurfaces) { agreeOnBlocks(isa::kXeHpc); }
TEST(MessageReference, AgreesWithTheStepsOnRandomBlocksOfSurfacesOfXe2) { agreeOnBlocks(zetl::isa::xe::kXe2); }

}  // namespace
}  // namespace zetl::test::reference
