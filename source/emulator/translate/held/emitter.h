// Emits host code for the steps of a program: AVX-512, with the thread in rbx, registers of the thread in zmm7 to zmm31
// and the lanes that are on in r12d.
//
// Split by concern over the files of this directory, as lowering is. If the function of a family does not know the form
// of a step, it emits nothing and returns false; the code then calls the step's handler. zmm0 to zmm5, k2 to k5 and the
// general registers that a call may change hold values within one step only; k1 holds the lanes that are on, k6 and k7
// hold flags.
#pragma once

#include <asmjit/x86.h>

#include <array>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "emulator/isa/code.h"
#include "emulator/translate/assembler/host_assembler.h"
#include "emulator/translate/held/linear_lanes.h"
#include "emulator/translate/held/offset_lanes.h"
#include "emulator/translate/held/parking.h"
#include "emulator/translate/held/register_cache.h"
#include "emulator/translate/plan/common_part.h"
#include "emulator/translate/plan/group_plan.h"
#include "emulator/translate/plan/products.h"
#include "emulator/translate/plan/step_meaning.h"
#include "emulator/translate/plan/survey.h"
#include "emulator/translate/translation.h"

namespace zetl::emulator::translate {

/// How much of the translated code is host code, in steps.
struct Shares {
    std::uint32_t lines = 0;
    std::uint32_t native = 0;                       ///< steps
    std::uint32_t called = 0;                       ///< steps whose handler is called
    std::map<isa::Opcode, std::uint32_t> calledBy;  ///< the same by instruction
    std::vector<bool> calling;                      ///< lines with such steps, in any version
};

class Emitter {
  public:
    /// `whole`: the body for full lanes that will be emitted beside the masked one; 0 if there is none.
    Emitter(const isa::Program::Code& code, HostAssembler& to, Registers registers, std::uint8_t whole);

    /// Makes the code report these lines. Call it before the first body.
    void report(std::span<const isa::Reported> reported) { reported_ = reported; }
    /// Threads begin at this line. `setsMode`: they set the floating-point mode before they compute with it.
    void startAt(isa::Line line, bool setsMode);
    /// Makes threads of a group take this part over from each other, in the body for full lanes. Call it before the
    /// first body.
    void share(std::optional<CommonPart> part);
    /// Emits all blocks of a body.
    void emitBody(std::uint8_t body, const Survey& survey);
    /// Emits the threads of a group, one after the other, as a function like GroupCode::Run that begins at
    /// groupEntry(). Returns false if a step is not known.
    bool emitGroup(const GroupPlan& plan, std::uint8_t body);
    asmjit::Label groupEntry() const noexcept { return groupEntry_; }
    /// Whether the code has a loop for threads whose addresses are single numbers.
    bool isGroupLinear() const noexcept { return groupLinear_; }

    /// Call it after the last body: emits seldom-used code, jumps to targets outside of the emitted code, and entries.
    void finish();

    struct Entry {
        std::uint8_t body;
        std::uint32_t step;
        asmjit::Label label;
    };
    const std::vector<Entry>& entries() const noexcept { return entries_; }
    /// Where the code of each line begins, in the order of the code.
    struct LineStart {
        std::uint64_t offset;
        isa::Line line;
    };
    const std::vector<LineStart>& lines() const noexcept { return lines_; }
    const Shares& shares() const noexcept { return shares_; }
    /// The registers that threads may have written if they begin and end here, without straying.
    isa::StateSlots written() const;

  private:
    using Step = isa::Step;
    using Line = isa::Line;
    using Vec = asmjit::x86::Vec;
    using Zmm = asmjit::x86::Zmm;
    using Mem = asmjit::x86::Mem;
    using Gp = asmjit::x86::Gp;
    using Label = asmjit::Label;
    using InstId = asmjit::InstId;
    /// The operands of a row, as many as it has, and the place of its result.
    struct Operands {
        Vec d;
        Vec x;
        Vec y;
        Vec z;
        std::uint32_t vector;
        std::optional<asmjit::x86::KReg> mask;  ///< lanes that are written; rows of one instruction only
    };

    // ---- blocks: blocks.cpp ----
    void emitLine(Line line, const Survey& survey);
    bool isEnteredCounted(Line line) const;
    void emitStep(const Step& m);
    void noteWrittenFlags(std::span<const Step> steps);
    bool emitKnown(const Step& m, const Meaning& what);
    void callStep(const Step& m);
    void callHandler(const Step& m, std::uint8_t body);
    isa::Handler originalOf(const Step& m, std::uint8_t body) const;
    void registersHome();
    void leaveBlock();
    void stray();
    void leaveAt(const Step* next);
    Label labelOf(std::uint8_t body, Line line);
    Mem state(std::uint32_t place, std::uint32_t bytes = 0) const;
    Mem field(std::size_t offset, std::uint32_t bytes) const;
    const Step* stepAt(std::uint8_t body, Line line) const;
    /// For code in which lane() is not kept.
    Label seldomLabel() {
        const Label label = a_.newLabel();
        cache_.forgetLane();
        a_.beginsSeldom(label);
        return label;
    }
    void seldom(std::function<void()> code) { seldom_.push_back(std::move(code)); }

    // ---- what threads of a group do alike: common_work.cpp ----
    void emitCommon(Line line);
    void beginCommon();
    void takeCommon(const Label& otherwise);
    void takeRuns();
    void takePieces(const std::vector<CommonPart::Piece>& pieces);
    void takeDetour(std::size_t number);
    void noteDetour(std::size_t number);
    void noteRun(Line end);
    void endCommon();
    void stopFinding();
    void commonTo(const Label& otherwise);
    void unlessFinding(const Label& otherwise);
    std::uint32_t commonSlot(std::uint32_t place) const;
    bool isCommon(Line line) const { return common_ && body_ == whole_ && common_->contains(line); }

    // ---- telling observers: report.cpp ----
    void tellOf(Line line);
    void tell(isa::LineObserver& observer, Line line);

    // ---- what is in registers of the host beside those of the thread, and at home as well: mirrors.cpp ----
    void enterFunction();
    void leaveFunction();
    /// Called at entries and behind calls.
    void loadMirrors();
    void setActive(const Gp& lanes);
    /// For f0 to f3.
    bool isFlagHeld(std::uint32_t number) const;
    void flagTo(const Gp& out, std::uint32_t number);
    void setFlag(std::uint32_t number, const Gp& value);
    /// The place of the flag from now on, for callers that set it.
    static Gp flagMirror(std::uint32_t number);
    void forgetFlags() {
        flagsHeld_ = {};
        forgetMasks();
    }
    asmjit::x86::KReg flagMask(const isa::LaneMask& mask) const;
    void holdMask(std::uint32_t number, const asmjit::x86::KReg& mask);
    asmjit::x86::KReg selectedMask(const isa::LaneMask& mask);
    void forgetMasks() { masks_ = {}; }

    // ---- lanes that are on: masks.cpp ----
    void lanesTo(const Gp& out, const isa::LaneMask& mask);
    static bool isSame(const isa::LaneMask& a, const isa::LaneMask& b);
    void enabledTo(const Gp& out, const isa::LaneMask& mask);
    void predicateTo(const Gp& out, const isa::LaneMask& mask);
    static bool isPlain(const isa::LaneMask& mask);
    Gp selected(const isa::LaneMask& mask);
    /// Sets k1 to lanesOn() of the mask.
    void setLanes(const isa::LaneMask& mask);
    /// The part of k1 for one vector.
    asmjit::x86::KReg lanesOf(std::uint32_t vector, std::uint32_t lanesPerVector);
    void forgetLanes() {
        lanes_.reset();
        shifted_ = 0;
        a_.forgetLanes();
        forgetMasks();
    }
    /// Call it when flags have changed.
    void forgetPredicated();
    std::uint32_t knownActive() const;
    std::optional<std::uint32_t> constantLanes(const isa::LaneMask& mask) const;

    // ---- values: values in compute.cpp ----
    Vec temporary(std::uint32_t number, bool wide) const;
    Vec source(std::uint64_t where, std::uint32_t vector, const Meaning& what, std::uint32_t number);
    std::optional<asmjit::x86::Xmm> laneOfHeld(std::uint32_t place, std::uint32_t laneBytes,
                                               const asmjit::x86::Xmm& to);
    Vec lowOf(std::uint64_t where, const Meaning& what, std::uint32_t number, std::uint32_t bytes);
    void writeVector(std::uint32_t place, std::uint32_t vector, Vec value, const Meaning& what, bool masked);
    void broadcast(Vec d, std::uint64_t bits, std::uint32_t laneBytes);
    void keepLane(std::uint32_t place, std::uint32_t bytes, const asmjit::x86::Xmm& value);
    bool isOfHalves(std::uint32_t place) const;
    asmjit::Operand laneAt(std::uint32_t place, std::uint32_t bytes);

    // ---- compute.cpp ----
    bool compute(const Step& m, const Meaning& what);
    std::optional<Zmm> resultRegister(std::uint32_t where, std::uint32_t vector, const Meaning& what,
                                      const Operands& needed);
    bool shiftByConstant(const Step& m, const Meaning& what, const Operands& o);
    bool pick(const Step& m, const Meaning& what);
    bool modify(const Step& m, const Meaning& what);
    bool clamp(const Step& m, const Meaning& what);
    bool row(const Step& m, const Meaning& what, const Operands& o);
    void inverseRoot(const Operands& o, bool single);
    void shift(InstId id, const Operands& o, std::uint32_t laneBytes);
    void select(const Meaning& what, const Operands& o, bool greater);

    // ---- convert.cpp ----
    /// Elements of a source that is in memory.
    struct Load {
        /// place of an element; the stride is in elements
        std::uint32_t place;
        std::uint32_t bytes;
        std::uint32_t stride;
        std::uint32_t laneBytes;
        bool isSigned;
        std::uint32_t lanes = 32;  ///< number of lanes that are read
    };
    bool convert(const Step& m, const Meaning& what);
    bool widen(const Step& m, const Meaning& what);
    void widenOne(const Step& m, const Meaning& what);
    void widenSingles(Vec d);
    void widenHalves(Vec d);
    asmjit::Operand part(std::uint32_t place, std::uint32_t bytes);
    void loadEverySecondDword(std::uint32_t place, Vec d);
    void loadApart(std::uint32_t place, std::uint32_t spacing, std::uint32_t laneBytes, const Vec& d);
    void loadLanes(const Load& load, std::uint32_t vector, Vec d);
    void extendLanes(const Load& load, Vec d, Vec value);
    void broadcastLane(const Step& m, const Meaning& what, std::uint32_t vectors);
    bool mayShare(const Step& m, std::uint32_t bytes) const;
    const Meaning* meaningOf(const Step& m) const;
    bool stayExtended(const Step& m, const Load& load, std::uint32_t vectors) const;
    bool isShared(std::uint64_t where) const;
    Zmm sharedLane(std::uint32_t place, std::uint32_t bytes);
    struct Shared;
    Zmm sharedVector(const Shared& s, std::uint32_t vector);
    void storeShared();
    void loadLane(std::uint32_t place, isa::DataType type);
    void extendLane(isa::DataType type, bool isSigned);

    // ---- retire.cpp ----
    bool retire(const Step& m, const Meaning& what);
    bool moveFew(const Step& m, const Meaning& what);
    bool retireLane(const Step& m, const Meaning& what);
    bool narrow(const Step& m, const Meaning& what);
    bool storeWide(const Step& m, const Meaning& what);
    void narrow(const Meaning& what, const Zmm& d, Vec x);
    bool storeNarrow(const Step& m, const Meaning& what);
    void storeHalves(const Step& m, const Meaning& what);
    bool storeStrided(const Step& m, const Meaning& what);
    struct Elements {
        Vec value;             ///< one element in the low bytes of each lane
        std::uint32_t vector;  ///< its number among those that the step stores
        std::uint32_t spacing;
        bool zeroAbove;  ///< the bytes above the element in each lane are zero
    };
    void storeWithin(const Step& m, const Meaning& what, const Elements& e);
    bool storeEverySecondByte(const Step& m, const Meaning& what);
    void storeEverySecondByteOfSlot(const Step& m, const Meaning& what);
    void elementsOn(const Step& m, const Meaning& what, std::uint32_t vector, std::uint32_t perVector);
    std::uint32_t lowestBytes(const isa::LaneMask& mask, std::uint32_t element) const;
    void storeLowest(std::uint32_t place, std::uint32_t bytes);
    void storePart(std::uint32_t place, std::uint32_t bytes, std::uint32_t element,
                   std::optional<asmjit::x86::KReg> lanes);
    static bool convertsInPlace(const Meaning& what);
    Vec inType(const Meaning& what, Vec value);
    void truncate(const Meaning& what, Vec d, Vec value);
    void toBrain(Vec d, Vec value);

    // ---- regions.cpp ----
    using Numbers = std::array<std::uint32_t, 16>;
    bool gather(const Step& m);
    bool scatter(const Step& m);
    bool latch(const Step& m);
    Mem numbers(const Numbers& list);
    void embedNumbers();
    void placeTo(const Step& m, std::uint32_t offset);
    void placesTo(const Step& m, std::uint32_t first);
    void storeElements(const Step& m);
    void moveElement(const Mem& from, const Mem& to);
    void gatherRun(const Step& m, std::uint32_t bytes);
    void gatherVector(const Step& m, std::uint32_t first);
    void scatterRun(const Step& m, std::uint32_t lanes);
    void scatterVector(const Step& m, std::uint32_t first);

    // ---- flags.cpp ----
    bool compare(const Step& m, const Meaning& what);
    bool guard(const Step& m, const Meaning& what);
    void compareVectors(asmjit::x86::KReg k, const Meaning& what, std::uint32_t condition, Vec x, Vec y);
    void mergeFlags(const Step& m);
    void mergeFlags(const Step& m, const asmjit::x86::KReg& bits);
    bool isWholeFlag(const isa::LaneMask& mask) const;
    bool spreadFlags(const Step& m);
    void spreadTo(const Step& m);

    // ---- fused.cpp ----
    using MeaningList = std::array<const Meaning*, 4>;
    std::uint32_t emitFused(std::span<const Step> steps);
    bool convertToHome(std::span<const Step> steps, const MeaningList& what);
    bool loadNegative(std::span<const Step> steps, const MeaningList& what);
    bool compareWithNegative(std::span<const Step> steps, const MeaningList& what);
    static bool storesSpread(const Step& spread, const Meaning& what, const Step& m, const Meaning& stores);
    bool spreadDwords(std::span<const Step> steps, const MeaningList& what);
    void storeSpread(const Step& m, const Meaning& what, const asmjit::x86::KReg& bits);
    bool compareToDwords(std::span<const Step> steps, const MeaningList& what);
    bool moveBytes(std::span<const Step> steps, const MeaningList& what);
    bool multiplyByWords(std::span<const Step> steps, const MeaningList& what);
    void planProduct(Line line, const Survey& survey);
    std::uint32_t emitOfProduct(std::span<const Step> steps);
    bool isFirstLeftOut(const Step& m) const;
    bool isLeftOut(const Step& m) const;
    bool isWholeProduct(const Step& m) const;
    bool isBehindProduct(const Step& m, std::ptrdiff_t by) const;
    std::optional<Meaning> meaningInProduct(const Step& m) const;
    bool pickWords(std::span<const Step> steps, const MeaningList& what);

    // ---- words.cpp ----
    struct WordSource {
        std::uint64_t constants = 0;  ///< address of 32 constants of 32 bits; 0: it is no constant
        std::uint32_t place = 0;
        isa::DataType type = isa::DataType::uw;
        bool same = false;  ///< one word for all lanes
    };
    struct WordLine {
        std::array<WordSource, 2> source;
        const Step* compute = nullptr;
        const Step* end = nullptr;
        asmjit::InstId logic = 0;
        bool picks = false;
        bool compares = false;  ///< with zero
        bool masked = false;
        std::uint16_t row = 0;  ///< row of the comparison
    };
    bool emitWordLine(std::span<const Step> steps);
    std::optional<WordLine> wordLineOf(std::span<const Step> steps) const;
    static bool readCompute(const Step& m, const Meaning& what, WordLine& line);
    static std::optional<WordSource> wordSource(std::uint64_t where, std::span<const Step> loads,
                                                std::span<const Meaning* const> what);
    static bool readEnd(const Step& m, const Meaning& what, bool narrows, WordLine& line);
    static bool comparesWithZero(const Step& m, const Meaning& what);
    Zmm wordsOf(const WordSource& source, const Zmm& spare);
    static bool isZero(const WordSource& source);
    void compareWords(const WordLine& line, const Zmm& x, const Zmm& y);
    void storeWords(std::uint32_t place, const isa::LaneMask& mask);
    void storeLowBytes(const Step& m, const Meaning& what, const Zmm& words);

    // ---- single.cpp ----
    class Singles;
    std::uint32_t emitSingles(std::span<const Step> steps);
    bool areSingles(std::span<const Step> steps) const;
    static bool isSingle(const Step& m, const Meaning& what, Singles& values);
    static bool loadsSingle(const Step& m, const Meaning& what, Singles& values);
    void emitSingle(const Step& m, const Meaning& what, Singles& values);
    asmjit::Operand single(std::uint64_t where, std::uint32_t bytes, Singles& values);
    asmjit::Operand singleAt(std::uint32_t place, std::uint32_t bytes);
    Gp singleInRegister(std::uint64_t place, Singles& values);
    Gp resultOfSingle(const Step& m, const Meaning& what, Singles& values);
    void singleTo(const Gp& to, std::uint64_t where, Singles& values);
    void joinHalves(const Gp& to, std::uint32_t place);
    void extendTo(const Gp& to, const asmjit::Operand& from, isa::DataType type);
    Gp takeSingleFor(std::span<const std::uint64_t> sources, Singles& values);
    void extendSingle(const Gp& value, isa::DataType type);
    void loadSingle(const Step& m, const Meaning& what, Singles& values);
    void modifySingle(const Step& m, const Meaning& what, Singles& values);
    void computeSingle(const Step& m, const Meaning& what, Singles& values);
    void combineSingle(InstId inst, const Gp& d, const asmjit::Operand& y);
    void shiftSingle(InstId inst, const Step& m, std::uint32_t bytes, Singles& values);
    void keepSingle(const Step& m, std::uint32_t bytes, const Gp& result, Singles& values);
    void pickSingle(const Step& m, const Meaning& what, Singles& values);
    void compareSingle(const Step& m, const Meaning& what, Singles& values);
    void retireSingle(const Step& m, const Meaning& what, Singles& values);
    void storeSingle(std::uint32_t place, std::uint32_t bytes, const Gp& value);

    // ---- flow.cpp ----
    bool flow(const Step& m);
    bool parks(const Step& m, bool atExtra, bool atSource);
    bool jump(const Step& m);
    bool endThread(const Step& m);
    bool applyControl(const Step& m);
    void setMode(const Label& refused);
    void countRun(const Step& m);
    void addCharge(Line end);
    void enterAt(Line line);
    void pauseIfOver(Line some, Line none);
    void pause();
    void goToMasked(Line line);
    void goTo(const Step& m, Line line, bool sameLanes);
    void dispatch(Line line, bool sameLanes);
    void split(const Step& m, const Gp& on, const Gp& taken);
    void forkTogether(const Step& m);
    void goAllToJoin(const Step& m);
    void fork(const Step& m);
    void goOnWith(const Step& m, const asmjit::x86::Gp& lanes);
    void forkBackward(const Step& m);
    void join(const Step& m);
    void branchIf(const Step& m);
    void branchElse(const Step& m);
    void loopWhile(const Step& m);
    void goOn(const Step& m);
    bool mayGoOn(Line line) const;
    static bool agrees(const Step& m);
    void goByLanes(const Step& m, Line some, Line none);

    // ---- parking.cpp ----
    static bool isParking(isa::Handler handler);
    bool hasParking(std::uint32_t address);
    Mem parkedAt(std::uint32_t address) const;
    void parkAt(const Gp& lanes, std::uint32_t address);
    void wake(std::uint32_t address);
    void callParking(void (*function)(isa::Thread&, ParkingList) noexcept);
    void giveParkedLanes();
    void takeParkedLanes(std::uint8_t body);
    void embedParkingList();

    // ---- barrier.cpp ----
    bool signalBarrier(const Step& m);
    bool waitAtBarrier(const Step& m);
    void followWithNext(const Step& m, const Label& behind);
    void followEnd();
    void goOnWithAnother(const Label& otherwise);
    void beginAnother(const Label& going, const Label& otherwise);
    void emitBeginnings();
    void unlessModeSet(const Label& otherwise);
    void modeAskedFor(const Label& otherwise);

    // ---- message_lanes.cpp, message_block.cpp ----
    /// Memory that a message may reach, as described in the thread's state.
    struct Area {
        std::optional<Mem> begin;  ///< its first address; 0 if empty
        Mem bytes;
        Mem host;
    };
    /// The thread's count of bytes that a message adds to.
    struct Traffic {
        std::optional<std::size_t> cell;
    };
    /// Sixteen more lanes behind sixteen lanes with successive addresses, if those run on.
    struct SecondHalf {
        Label done;  ///< end of both halves
        std::vector<Zmm> data;
        std::vector<Zmm> addresses;
    };
    /// Sixteen lanes of a message.
    struct Lanes16 {
        isa::LaneAccess access;
        Area area;
        Label refused;
        isa::MemorySpace space;
        std::uint32_t bytes;  ///< bytes of an element in memory
        bool whole;           ///< all lanes are on; otherwise k1 holds those that are
        std::uint32_t chunk = 0;
        std::optional<SecondHalf> second = {};
    };
    bool laneAccess(const Step& m, const Meaning& what);
    bool block(const Step& m);
    bool blockIfOn(const Step& m, const isa::BlockAccess& access);
    void findBlock(const Step& m, const isa::BlockAccess& access, bool held, const Label& refused);
    void moveBytes(std::uint32_t bytes, const Mem& from, const Mem& to);
    Area areaOf(isa::MemorySpace space, bool write, const Step& m) const;
    static Traffic trafficOf(isa::MemorySpace space, bool write);
    void findRun(const Area& area, std::uint32_t bytes, const Label& refused);
    void otherwiseStep(const Step& m, const Label& refused, RegisterCache::Snapshot unstored);
    void loadAddresses(const Lanes16& l);
    void measureDistances(const Lanes16& l);
    Zmm distances(std::uint32_t step, std::uint32_t vector);
    Zmm shortDistances(std::uint32_t step);
    void addSteps(const Zmm& to, std::int64_t step, std::uint32_t laneBytes);
    Zmm wordDistances();
    void readDistances(const Lanes16& l, std::uint32_t step);
    void unlessApart(const Lanes16& l, std::uint32_t step, const Label& otherwise);
    void findLanes(const Lanes16& l);
    Zmm resultOf(const Lanes16& l, std::uint32_t component, std::uint32_t part);
    Zmm dataOf(const Lanes16& l, std::uint32_t component, std::uint32_t part);
    void loadChunk(const Lanes16& l);
    void fetchAhead(std::uint32_t bytes, bool write);
    void loadIfRunning(const Lanes16& l, const std::vector<Zmm>& results, const Label& done);
    void loadIfSame(const Lanes16& l, const std::vector<Zmm>& results, const Label& done);
    void loadRun(const Lanes16& l, const std::vector<Zmm>& results);
    HostAssembler& ofRun(const Lanes16& l, std::uint32_t vector);
    void loadSame(const Lanes16& l, const std::vector<Zmm>& results);
    void gather(const Lanes16& l, const std::vector<Zmm>& results);
    void storeChunk(const Lanes16& l);
    void storeRun(const Lanes16& l, const std::vector<Zmm>& data);
    void scatter(const Lanes16& l, const std::vector<Zmm>& data);

    // ---- message_together.cpp ----
    bool movesTogether(const Lanes16& l, std::uint32_t chunks) const;
    SecondHalf secondHalf(Lanes16 l, bool write, const Label& done);
    void moveTogether(const Lanes16& l, const std::vector<Zmm>& first, bool write);
    void unlessBehind(const Lanes16& l, const Label& otherwise);

    // ---- message_interleaved.cpp ----
    static bool isInterleaved(const Lanes16& l);
    void pickDwords(const Zmm& to, const std::vector<asmjit::Operand>& vectors, const Numbers& from);
    void loadInterleaved(const Lanes16& l, const std::vector<Zmm>& results);
    void storeInterleaved(const Lanes16& l, const std::vector<Zmm>& data);

    // ---- message_near.cpp ----
    bool loadsNear(const Lanes16& l) const;
    bool storesNear(const Lanes16& l) const;
    void loadNear(const Lanes16& l, const std::vector<Zmm>& results, const Label& done);
    void storeNear(const Lanes16& l, const Zmm& data, const Label& done);
    void numberNear(const Lanes16& l);
    void gatherBits(const Zmm& single);

    // ---- group.cpp ----
    bool emitPlanned(const GroupPlan::Line& line);
    void beginPlanned(const GroupPlan::Line& line, std::size_t step);
    void endPlanned();
    void takeWork();
    void goToNextGroup(const Label& next);
    void countThreads();
    bool runAccess(const Step& m, const Meaning& what);
    void expectRun(std::uint32_t bytes);
    void moveRun(const Step& m, const Meaning& what, const std::vector<Zmm>& data);
    /// Registers of a message that threads of a group move.
    struct GroupLanes {
        std::array<Zmm, 2> distance;  ///< of lanes with successive addresses, from the first of eight and of sixteen
        std::vector<Zmm> addresses;
        std::vector<Zmm> data;
    };
    std::vector<Zmm> dataOfRun(const Step& m, const Meaning& what);
    Lanes16 lanesOf(const Step& m, const Meaning& what) const;
    void moveApart(const Step& m, const Meaning& what, const GroupLanes& lanes, const Label& done,
                   const Label& refused);
    void moveLanes(const Meaning& what, const GroupLanes& lanes, std::uint32_t component, std::uint32_t components);
    void moveEights(const Meaning& what, const GroupLanes& lanes, const Label& done);
    static Mem groupEnd();
    static Mem groupIndexBits();
    void findLimits(const GroupPlan& plan);
    void storeLimits();
    Mem limitOf(const Step& m, const Meaning& what) const;
    void findInLimit(const Step& m, const Meaning& what, const Label& refused);
    void unlessRunning(const GroupLanes& lanes, std::uint32_t bytes, const Label& otherwise);

    // ---- group_linear.cpp ----
    struct LinearLoop;
    bool emitLinear(const GroupPlan& plan, const Label& otherwise);
    bool vectorStep(LinearLoop& loop, const Step& m, const Meaning& what);
    bool linearStep(LinearLoop& loop, const Step& m, const Meaning& what);
    bool linearConvert(LinearLoop& loop, const Step& m, const Meaning& what);
    bool linearCompute(LinearLoop& loop, const Step& m, const Meaning& what);
    static std::optional<Linear> linearResult(LinearLanes& lanes, std::uint16_t row, std::uint32_t bytes,
                                              const Linear& x, const Linear& y, const Linear& z);
    bool linearRetire(LinearLoop& loop, const Step& m, const Meaning& what);
    bool linearBlock(LinearLoop& loop, const Step& m);
    bool linearMove(LinearLoop& loop, std::uint64_t from, const Step& m, const Meaning& what);
    bool linearGuard(LinearLoop& loop, const Step& m, const Meaning& what);
    bool linearSelect(LinearLoop& loop, const Step& m, const Meaning& what);
    /// A relation that holds between two values in all of so many lanes.
    struct Order {
        asmjit::x86::CondCode wanted;
        std::uint32_t bytes;
        std::uint32_t count;
    };
    bool unlessOrdered(LinearLoop& loop, Linear x, Linear y, Order order);
    std::optional<Linear> linearOperand(LinearLoop& loop, std::uint64_t place, std::uint32_t bytes,
                                        std::uint32_t count);
    bool linearAccess(LinearLoop& loop, const Step& m, const Meaning& what);
    void takeIds(LinearLoop& loop, const Extent& e);
    bool holdLinear(LinearLoop& loop, const Extent& e, const std::optional<Linear>& lanes, bool elsewhere = false);
    bool replaceLinear(LinearLoop& loop, const Extent& e);
    bool spill(LinearLoop& loop, const Extent& e);
    bool spillOne(LinearLoop& loop, const LinearLanes::Held& held);

    // ---- group_offsets.cpp ----
    bool offsetStep(LinearLoop& loop, const Step& m, const Meaning& what);
    std::optional<Offset> offsetsOf(LinearLoop& loop, const Step& m, const Meaning& what);
    std::optional<Offset> offsetsOfSum(LinearLoop& loop, const Step& m, const Meaning& what);
    bool spillOffsets(LinearLoop& loop, const OffsetLanes::Held& held);
    bool offsetAccess(LinearLoop& loop, const Step& m, const Meaning& what);
    /// The vectors of dwords and of data in an access.
    struct OffsetVectors {
        std::array<Zmm, 2> dwords;
        std::uint32_t chunks;  ///< number of vectors of dwords
        std::vector<Zmm> data;
        std::uint32_t shift;
    };
    void unlessOffsetsRun(const OffsetVectors& v, const Label& otherwise);
    void moveByOffsets(const Step& m, const Meaning& what, const OffsetVectors& v, const Label& refused);

    // ---- message_atomic.cpp ----
    bool atomic(const Step& m, const Meaning& what);
    void findCells(const Lanes16& l);
    void addByLanes(const isa::AtomicAccess& access, std::uint32_t bytes);
    void addPending(const isa::AtomicAccess& access, const Label& done);
    void unlessPending(const Label& otherwise);
    void flushPending();
    bool isRepeated(const Step& m) const;
    void addTogether(const Step& m, std::uint32_t bytes, const Label& otherwise, const Label& done);
    void takeResults(const Step& m, std::uint32_t bytes);

    const isa::Program::Code& code_;
    HostAssembler& a_;
    const Registers registers_;
    RegisterCache cache_;
    std::uint8_t body_ = 0;
    std::uint8_t whole_ = 0;                      ///< the body for full lanes that is emitted as well; 0 if none is
    bool ended_ = false;                          ///< control does not flow on behind the step
    Line next_ = isa::kNoLine;                    ///< the line that is emitted behind the branch
    std::optional<Product> product_;              ///< product of this line and the next, or the one before
    std::optional<Line> entered_;                 ///< where the straight-line run began, if it is known
    std::array<std::uint32_t, 16> dwordLanes_{};  ///< places where lanes of 32 bits were stored last
    std::uint32_t dwordLane_ = 0;                 ///< the oldest of them
    std::array<std::uint32_t, 8> parts_{};        ///< the same for pieces of sixteen bytes
    std::uint32_t part_ = 0;
    std::optional<isa::LaneMask> lanes_;
    std::uint32_t shifted_ = 0;                ///< how many lanes of k1 are before those of k2; 0: k2 holds anything
    std::span<const Step> rest_;               ///< steps of the line, from the one that is emitted on
    std::span<const Meaning* const> planned_;  ///< the same for a GroupPlan::Line
    /// A value of the current line that lies elsewhere than in vectors of the working space: one that all lanes have in
    /// common, or the lanes as they are.
    struct Shared {
        std::uint32_t where;  ///< place in the working space
        std::uint32_t vectors;
        std::uint32_t place;
        std::uint32_t bytes;
        bool all = true;  ///< all lanes have the same value
    };
    std::vector<Shared> shared_;
    /// By flag register: RegisterCache::flagChanges() when its mirror was right.
    std::array<std::optional<std::uint32_t>, isa::layout::kFlagRegisters> flagsHeld_{};
    std::map<std::pair<std::uint8_t, std::uint32_t>, Label> labels_;
    std::vector<std::function<void()>> seldom_;
    std::vector<Entry> entries_;
    std::vector<LineStart> lines_;
    std::map<Numbers, Label> numbers_;
    /// The content of a mask that stays.
    struct FlagMask {
        std::uint32_t flag = 0;
        std::optional<std::uint32_t> held;  ///< as flagsHeld_
    };
    std::array<FlagMask, 2> masks_{};
    Label exit_;
    Label end_;
    std::map<std::uint32_t, std::uint32_t> parking_;  ///< places of waiting lanes, by address
    Label parkingList_;
    const GroupPlan* group_ = nullptr;  ///< the group whose threads are emitted
    Label groupEntry_;
    Label groupDone_;  ///< jumped to when all of its threads have ended
    Label groupExit_;
    bool groupLinear_ = false;
    bool holdsNumbers_ = false;  ///< LinearLanes has numbers in general registers, which no other code may use
    bool leads_ = false;         ///< a copy of GroupPlan::Line::leads
    Guard guard_ = Guard::none;
    std::optional<std::uint8_t> picked_;  ///< a copy of GroupPlan::Line::picked
    std::uint32_t expected_ = 0;          ///< entries of Thread::expected that have been given to loads
    bool gapsAreFree_ = false;            ///< GroupPlan::Line::gapsAreFree, of the step that is emitted
    Label groupRefused_;                  ///< jumped to for a thread that the code cannot execute
    std::map<std::pair<std::int32_t, std::uint32_t>, std::int32_t> groupLimits_;  ///< by window and bytes of an access
    std::map<std::size_t, std::int32_t> groupTraffic_;                            ///< traffic of one thread, by cell
    /// How threads begin in one of the bodies.
    struct Beginning {
        std::uint8_t body;
        Label entered;  ///< the function that threads enter
        Label goesOn;   ///< jumped to by threads that come from another thread
    };
    struct FirstLine {
        Line line;
        bool setsMode;
        std::vector<Beginning> beginnings;
    };
    std::optional<FirstLine> first_;
    std::optional<CommonPart> common_;
    std::uint32_t commonNumber_ = 0;  ///< number of that part, in this process
    isa::StateSlots calledWrite_;
    Shares shares_;
    std::span<const isa::Reported> reported_;
    bool adds_ = false;              ///< additions may be pending somewhere
    bool mayLeaveCallMask_ = false;  ///< a branch without mask may turn on lanes outside the call mask
};

}  // namespace zetl::emulator::translate
