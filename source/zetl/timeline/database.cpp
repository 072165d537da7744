#include "timeline/database.h"

#include <string>
#include <unordered_map>

#include "text/json.h"
#include "text/result_name.h"
#include "timeline/call_arguments.h"
#include "timeline/device_view.h"
#include "timeline/launch_facts.h"
#include "timeline/user_range.h"

namespace zetl::command {
namespace {

constexpr const char* kTables = R"(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE process (id INTEGER PRIMARY KEY, pid INTEGER, parent_pid INTEGER, name TEXT, command TEXT, host TEXT,
    rank INTEGER, ranks INTEGER);
CREATE TABLE thread (process INTEGER REFERENCES process, tid INTEGER, name TEXT);
CREATE TABLE call (id INTEGER PRIMARY KEY, process INTEGER REFERENCES process, tid INTEGER, function TEXT,
    begin_ns INTEGER, end_ns INTEGER, result INTEGER, result_name TEXT, arguments TEXT);
CREATE TABLE range (process INTEGER REFERENCES process, tid INTEGER, name TEXT, domain TEXT, begin_ns INTEGER,
    end_ns INTEGER);
CREATE TABLE stream (process INTEGER REFERENCES process, number INTEGER, name TEXT, device INTEGER);
CREATE TABLE work (id INTEGER PRIMARY KEY, process INTEGER REFERENCES process, stream INTEGER, kind TEXT, name TEXT,
    begin_ns INTEGER, end_ns INTEGER, bytes INTEGER, append_call INTEGER REFERENCES call,
    submit_call INTEGER REFERENCES call, queued_ns INTEGER, grid_x INTEGER, grid_y INTEGER, grid_z INTEGER,
    group_x INTEGER, group_y INTEGER, group_z INTEGER, registers INTEGER, simd_width INTEGER, local_bytes INTEGER);
CREATE VIEW function_summary AS SELECT function, count(*) AS calls, sum(end_ns - begin_ns) AS total_ns,
    min(end_ns - begin_ns) AS min_ns, max(end_ns - begin_ns) AS max_ns FROM call GROUP BY function
    ORDER BY total_ns DESC;
CREATE VIEW work_summary AS SELECT name, kind, count(*) AS launches, sum(end_ns - begin_ns) AS total_ns,
    min(end_ns - begin_ns) AS min_ns, max(end_ns - begin_ns) AS max_ns FROM work GROUP BY name, kind
    ORDER BY total_ns DESC;
)";

/// Times of different hosts are on one clock. A change of the tables is a new version.
constexpr const char* kSchemaVersion = "1";

/// As JSON writes it: bytes that are no UTF-8 are replaced, which readers would refuse.
std::string valid(const std::string& text) {
    return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

/// Adds one process.
class ProcessRows {
  public:
    ProcessRows(SqliteDatabase& database, const RecordingFile& recording, std::uint64_t number)
        : database_(database), recording_(recording), number_(number), devices_(recording) {}

    void add() {
        const auto& header = recording_.header();
        const auto rank = header.rank >= 0 ? Value(static_cast<std::uint64_t>(header.rank)) : Value();
        database_.insert("process", {number_, std::uint64_t(header.process), std::uint64_t(header.parent),
                                     valid(recording_.place().name), valid(recording_.command()),
                                     valid(recording_.host()), rank, SqliteDatabase::unlessZero(header.ranks)});
        recording_.forEach([this](const Record& record) { add(record); });
    }

  private:
    using Value = SqliteDatabase::Value;

    void add(const Record& record) {
        if (record.isCall()) return addCall(record);
        if (record.function == kSpan) return addWork(record);
        if (record.function == kRange) return addRange(record);
        if (record.function == kStream)
            database_.insert("stream", {number_, std::uint64_t(record.thread), devices_.trackName(record.thread),
                                        devices_.deviceOf(record.thread)});
        if (record.function == kThreadName)
            database_.insert(
                "thread", {number_, std::uint64_t(record.thread), valid(textOf(record.payload(), kThreadNameWords))});
    }

    /// Unlike all others of the database.
    std::uint64_t idOf(std::uint64_t place) const { return (number_ << 40U) + place; }
    Value callAt(std::uint64_t place) const { return recording_.callAt(place) ? Value(idOf(place)) : Value(); }

    void addCall(const Record& record) {
        const auto& function = functions()[record.function];
        if (makesKernels(function)) noteKernel(record, kernels_);
        Json arguments = Json::object();
        forEachArgument(record, kernels_, [&](const ShownArgument& each) {
            if (each.name != "result") arguments[std::string(each.name)] = shown(each);
        });
        const bool returned = record.end != 0;
        database_.insert(
            "call", {idOf(recording_.placeOf(record)), number_, std::uint64_t(record.thread),
                     std::string(function.name), recording_.beginOf(record),
                     returned ? Value(recording_.endOf(record)) : Value(), returned ? Value(record.result) : Value(),
                     returned && !function.returnsValue ? Value(resultName(record.result)) : Value(),
                     arguments.dump(-1, ' ', false, Json::error_handler_t::replace)});
    }

    void addRange(const Record& record) {
        const auto range = userRangeOf(record);
        database_.insert("range", {number_, std::uint64_t(record.thread), valid(range.name), valid(range.domain),
                                   recording_.beginOf(record), record.end ? Value(recording_.endOf(record)) : Value()});
    }

    static Json shown(const ShownArgument& argument) {
        using Form = ShownArgument::Form;
        if (argument.form == Form::text) return argument.text;
        if (argument.form == Form::address) return hexadecimal(argument.number);
        return argument.form == Form::boolean ? Json(argument.number != 0) : Json(argument.number);
    }

    void addWork(const Record& record) {
        const auto span = spanOf(record);
        const auto known = &SqliteDatabase::unlessZero;
        database_.insert("work", {idOf(recording_.placeOf(record)),
                                  number_,
                                  std::uint64_t(span.stream),
                                  std::string(kindOf(span)),
                                  valid(devices_.nameOf(span)),
                                  recording_.beginOf(record),
                                  recording_.endOf(record),
                                  known(span.bytes),
                                  callAt(span.appended),
                                  callAt(span.submitted),
                                  span.submittedAt ? Value(queuedOf(record, span)) : Value(),
                                  known(span.groups[0]),
                                  known(span.groups[1]),
                                  known(span.groups[2]),
                                  known(span.groupSize[0]),
                                  known(span.groupSize[1]),
                                  known(span.groupSize[2]),
                                  known(span.registers),
                                  known(span.simdWidth),
                                  span.simdWidth ? Value(std::uint64_t(span.localBytes)) : Value()});
    }

    SqliteDatabase& database_;
    const RecordingFile& recording_;
    std::uint64_t number_;  // from 1
    DeviceView devices_;
    KernelNames kernels_;
};

}  // namespace

void fillDatabase(std::span<const RecordingFile> recordings, SqliteDatabase& database) {
    database.execute(kTables);
    database.execute("BEGIN");
    database.insert("meta", {std::string("schema"), std::string(kSchemaVersion)});
    database.insert("meta",
                    {std::string("clock"), std::string("nanoseconds of CLOCK_MONOTONIC_RAW of the first host")});
    for (std::size_t i = 0; i < recordings.size(); ++i) ProcessRows(database, recordings[i], i + 1).add();
    database.execute("COMMIT");
}

}  // namespace zetl::command
