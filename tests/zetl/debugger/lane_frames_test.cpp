// Callers of functions in cubins: by frames as NVIDIA's compiler describes them (nvcc 13.0, sm_90), in a module put
// together here.
#include <gtest/gtest.h>

#include "core/failure.h"
#include "core/inspector.h"
#include "core/memory.h"
#include "core/module_list.h"
#include "core/sass_registers.h"
#include "core/stopped_thread.h"
#include "core/work_items.h"
#include "stopped_warp.h"
#include "support/built_elf.h"

namespace zetl::debugger {
namespace {

using test::append;
using test::appendText;

// Functions, each 0x100 bytes long.
constexpr std::uint64_t kKernel = 0x7f0000100000;
constexpr std::uint64_t kOuter = kKernel + 0x100;   // has a frame of 24 bytes, and saves registers in it
constexpr std::uint64_t kInner = kKernel + 0x200;   // has none
constexpr std::uint64_t kNearby = kKernel + 0x300;  // of optimised code: returns to the kernel's beginning + R4
constexpr std::uint64_t kImage = 0x100000;
constexpr std::uint32_t kStackTop = 0xfffd00;
constexpr std::uint64_t kNoRegister = 0xffffffff;
constexpr std::uint64_t kNamed = 0x5000000;  // R0 in .debug_frame
constexpr std::uint64_t kReturn = 0x5000100;

Bytes uleb(std::uint64_t value) {
    Bytes bytes;
    do bytes.push_back(static_cast<std::uint8_t>((value & 0x7f) | (value > 0x7f ? 0x80 : 0)));
    while (value >>= 7);
    return bytes;
}

/// Instructions of .debug_frame.
class Program {
  public:
    Program& stackAbove(std::uint64_t bytes) { return add(0x0c, kNamed + 1, bytes); }
    Program& undefined(unsigned index) { return add(0x07, kNamed + index); }
    Program& saved(unsigned index, std::uint64_t wordsBelow) { return add(0x05, kNamed + index, wordsBelow); }
    Program& isIn(unsigned index, unsigned other) { return add(0x09, kNamed + index, kNamed + other); }
    Program& behind(std::uint64_t instructions) {  // of 16 bytes; the factor is 4
        bytes_.push_back(0x02);
        bytes_.push_back(static_cast<std::uint8_t>(4 * instructions));
        return *this;
    }
    /// The address, and a register that is added.
    Program& returnsTo(std::uint64_t address, unsigned index) {
        Bytes expression{0x03};
        append(expression, address);
        expression.push_back(0x92);
        for (const auto each : uleb(kNamed + index)) expression.push_back(each);
        expression.insert(expression.end(), {0, 0x22});
        add(0x16, kReturn, expression.size());
        bytes_.insert(bytes_.end(), expression.begin(), expression.end());
        return *this;
    }
    const Bytes& bytes() const { return bytes_; }

  private:
    template <class... Operands>
    Program& add(std::uint8_t operation, Operands... operands) {
        bytes_.push_back(operation);
        for (const auto& each : {uleb(operands)...}) bytes_.insert(bytes_.end(), each.begin(), each.end());
        return *this;
    }
    Bytes bytes_;
};

class FrameSection {
  public:
    void function(std::uint64_t begin, std::uint64_t returnRegister, const Program& common, const Program& own) {
        const auto place = bytes_.size();
        Bytes entry(8, 0xff);
        entry.insert(entry.end(), {3, 0, 4, 0x7c});  // factors 4 and -4
        for (const auto each : uleb(returnRegister)) entry.push_back(each);
        entry.insert(entry.end(), common.bytes().begin(), common.bytes().end());
        add(entry);
        Bytes described;
        for (const std::uint64_t word : {std::uint64_t{place}, begin, std::uint64_t{0x100}}) append(described, word);
        described.insert(described.end(), own.bytes().begin(), own.bytes().end());
        add(described);
    }
    const Bytes& bytes() const { return bytes_; }

  private:
    void add(const Bytes& entry) {
        append(bytes_, std::uint32_t{0xffffffff});
        append(bytes_, std::uint64_t{entry.size()});
        bytes_.insert(bytes_.end(), entry.begin(), entry.end());
    }
    Bytes bytes_;
};

Bytes heldRegisters() {
    Bytes section;
    for (const auto& [function, place] : {std::pair{"outer", 0x05000010u}, std::pair{"probe", 0x05000010u}}) {
        appendText(section, function);
        append(section, std::uint32_t{2});
        for (const auto& [name, held] : {std::pair{"%r1", place}, std::pair{"%r2", 0x05000005u}}) {
            append(section, std::uint32_t{0});
            appendText(section, name);
            for (const std::uint32_t word : {held, 0u, 0x100u}) append(section, word);
        }
    }
    return section;
}

Bytes cubin() {
    const auto scratch = Program().stackAbove(0).undefined(5);
    FrameSection frames;
    frames.function(kKernel, kNoRegister, scratch, {});
    frames.function(kOuter, kNamed + 20, scratch,
                    Program().behind(1).stackAbove(24).behind(4).saved(21, 2).saved(20, 3).saved(16, 5));
    frames.function(kInner, kNamed + 20, scratch, {});
    frames.function(kNearby, kReturn, Program(scratch).returnsTo(kKernel, 4), Program().behind(1).isIn(4, 2));
    test::BuiltElf file;
    file.add(".text.probe", SHT_PROGBITS, Bytes(0x100), 0, 0, 0, kKernel);
    file.add(".text.outer", SHT_PROGBITS, Bytes(0x100), 0, 0, 0, kOuter);
    file.add(".text.inner", SHT_PROGBITS, Bytes(0x200), 0, 0, 0, kInner);
    file.add(".nv_debug_info_reg_sass", SHT_PROGBITS, heldRegisters());
    file.add(".debug_frame", SHT_PROGBITS, frames.bytes());
    return file.finished();
}

class LaneFrames : public testing::Test {
  protected:
    LaneFrames() {
        const auto image = cubin();
        link_.memory[{ZET_DEBUG_MEMORY_SPACE_TYPE_DEFAULT, kImage}] = image;
        zet_debug_event_t loaded{};
        loaded.info.module = {ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, kImage, kImage + image.size(), kKernel};
        std::string problem;
        EXPECT_TRUE(modules_.add(loaded, memory_, problem)) << problem;
        setWord(1, kStackTop);
    }

    void setWord(std::uint32_t index, std::uint32_t value) { link_.words[{kGeneralSet, index}] = value; }
    /// A return address in R20 and R21.
    void returnTo(std::uint64_t address) {
        setWord(20, static_cast<std::uint32_t>(address));
        setWord(21, static_cast<std::uint32_t>(address >> 32));
    }
    void setOnStack(std::uint32_t offset, std::uint32_t value) {
        Bytes bytes;
        append(bytes, value);
        link_.memory[{ZETL_DEBUG_MEMORY_SPACE_PRIVATE, ZETL_PRIVATE_ADDRESS(kWarpLane, kStackTop + offset)}] = bytes;
    }
    std::vector<std::uint64_t> addressesAt(std::uint64_t counter) {
        link_.counter = counter;
        thread_.emplace(link_, kWarpThread);
        frames_ = framesOf(*thread_, modules_, memory_);
        std::vector<std::uint64_t> all;
        for (const auto& each : frames_) all.push_back(each.address);
        return all;
    }
    /// In `inner`, which `outer` has called, which the kernel has called.
    void stopInInner() {
        returnTo(kOuter + 0x90);
        setOnStack(0x10, static_cast<std::uint32_t>(kKernel >> 32));
        setOnStack(0xc, static_cast<std::uint32_t>(kKernel + 0x50));
        setOnStack(0x4, 77);  // the kernel's R16
        setWord(16, 11);
        addressesAt(kInner + 0x10);
    }
    Inspector inspector(std::size_t frame) {
        return {frames_.at(frame), *thread_, memory_, items_, kWarpLane, history_, locations_};
    }
    /// DW_OP_regx of "%r1" or "%r2".
    static Variable inRegister(char number) {
        Variable made;
        made.name = "x";
        made.type = &types::kWord;
        made.location = {0x90};
        for (const auto each :
             uleb(std::uint64_t{'%'} << 16 | std::uint64_t{'r'} << 8 | static_cast<std::uint8_t>(number)))
            made.location.push_back(each);
        made.addressClass = 2;
        return made;
    }

    StoppedWarp link_;
    Memory memory_{link_};
    ModuleList modules_;
    std::optional<StoppedThread> thread_;
    std::vector<Frame> frames_;
    WorkItems items_;
    ValueHistory history_;
    SourceText source_;
    LocationCheck locations_{source_};
};

using Addresses = std::vector<std::uint64_t>;

TEST_F(LaneFrames, LeadFromAFunctionToTheKernel) {
    stopInInner();
    EXPECT_EQ(addressesAt(kInner + 0x10), (Addresses{kInner + 0x10, kOuter + 0x90, kKernel + 0x50}));
    EXPECT_EQ(addressesAt(kKernel + 0x50), Addresses{kKernel + 0x50});
}

TEST_F(LaneFrames, KnowAFunctionBeforeItHasAFrame) {
    returnTo(kKernel + 0x50);
    EXPECT_EQ(addressesAt(kOuter), (Addresses{kOuter, kKernel + 0x50}));
}

TEST_F(LaneFrames, AddARegisterToAnAddressInOptimisedCode) {
    setWord(4, 0x40);
    EXPECT_EQ(addressesAt(kNearby), (Addresses{kNearby, kKernel + 0x40}));
    setWord(2, 0x60);
    EXPECT_EQ(addressesAt(kNearby + 0x20), (Addresses{kNearby + 0x20, kKernel + 0x60})) << "by now in R2";
}

TEST_F(LaneFrames, EndWhereTheCallerIsNotKnown) {
    returnTo(0x1234);
    EXPECT_EQ(addressesAt(kInner + 0x10), Addresses{kInner + 0x10}) << "no module has it";
    EXPECT_EQ(addressesAt(kOuter + 0x90), Addresses{kOuter + 0x90}) << "its frame cannot be read";
    EXPECT_EQ(addressesAt(0x1234), Addresses{0x1234});
}

TEST_F(LaneFrames, HaveTheRegistersThatTheCalledFunctionsSaved) {
    stopInInner();
    const auto inOuter = inspector(1);
    EXPECT_EQ(textOf(inOuter.read(inRegister('1'))), "11") << "nobody has touched it";
    const auto inKernel = inspector(2);
    EXPECT_EQ(textOf(inKernel.read(inRegister('1'))), "77") << "on the stack";
    EXPECT_EQ(inKernel.read(inRegister('2')).missing,
              "not available here: the functions that were called did not save its register");
}

TEST_F(LaneFrames, LetRegistersOfCallersBeReadAndWritten) {
    stopInInner();
    auto inKernel = inspector(2);
    EXPECT_EQ(textOf(evaluateExpression("$R16", inKernel)), "77");
    inKernel.assign(evaluateExpression("$R16", inKernel), valueOf(Scalar(std::uint64_t{78})));
    EXPECT_EQ(textOf(evaluateExpression("$R16", inKernel)), "78");
    auto inInner = inspector(0);
    EXPECT_EQ(textOf(evaluateExpression("$R16", inInner)), "11");
    EXPECT_THROW(evaluateExpression("$R5", inKernel), Failure);
}

/// The kernel's frame begins where that of `outer` ends.
TEST_F(LaneFrames, HaveStacksAboveEachOther) {
    stopInInner();
    setOnStack(24 + 8, 5);
    Variable variable = inRegister('1');
    variable.location = {0x91, 8};  // fbreg 8
    auto inKernel = inspector(2);
    EXPECT_EQ(textOf(inKernel.read(variable)), "5");
    EXPECT_EQ(textOf(evaluateExpression("$R1", inKernel)), std::to_string(kStackTop + 24));
    EXPECT_THROW(inKernel.assign(evaluateExpression("$R1", inKernel), valueOf(Scalar(std::uint64_t{0}))), Failure);
    auto inOuter = inspector(1);
    EXPECT_EQ(textOf(evaluateExpression("$R1", inOuter)), std::to_string(kStackTop))
        << "that of `inner`, which has none";
}

}  // namespace
}  // namespace zetl::debugger
