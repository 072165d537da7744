#include "recording/counters.h"

#include <fmt/format.h>

#include <stdexcept>

#include "text/json.h"

namespace zetl::command {
namespace {

/// The fields of a row in the file before its values.
struct RowHead {
    std::uint64_t time;
    std::uint32_t source;
    std::uint32_t interpolated;
    std::uint64_t lost;
};

template <class T>
char* bytesOf(T& object) {
    return reinterpret_cast<char*>(&object);
}

Json described(const CounterSource& source) {
    Json columns = Json::array();
    for (const auto& each : source.columns)
        columns.push_back({{"name", each.name}, {"units", each.units}, {"plotted", each.plotted}, {"kind", each.kind}});
    return {{"device", source.device}, {"tile", source.tile}, {"columns", columns}};
}

CounterSource sourceOf(const Json& described) {
    CounterSource source{described.at("device"), described.at("tile"), {}};
    for (const auto& each : described.at("columns"))
        source.columns.push_back({each.at("name"), each.at("units"), each.at("plotted"), each.value("kind", "")});
    return source;
}

}  // namespace

CounterWriter::CounterWriter(const std::filesystem::path& path, const std::vector<CounterSource>& sources)
    : path_(path), file_(path, std::ios::binary) {
    Json all = Json::array();
    for (const auto& each : sources) all.push_back(described(each));
    file_ << all.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    check();
}

void CounterWriter::check() const {
    if (!file_) throw std::runtime_error(fmt::format("{} cannot be written", path_.native()));
}

void CounterWriter::write(const CounterRow& row) {
    RowHead head{row.time, row.source, row.interpolated, row.lost};
    file_.write(bytesOf(head), sizeof head);
    file_.write(reinterpret_cast<const char*>(row.values.data()),
                static_cast<std::streamsize>(row.values.size() * sizeof(double)));
    check();
    if (observer_) observer_(row);
}

void CounterWriter::flush() {
    file_.flush();
    check();
}

CounterRecording::CounterRecording(const std::filesystem::path& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    std::string line;
    if (!std::getline(file, line)) throw std::runtime_error(fmt::format("{} cannot be read", path.native()));
    try {
        for (const auto& each : Json::parse(line)) sources_.push_back(sourceOf(each));
    } catch (const Json::exception& error) {
        throw std::runtime_error(fmt::format("{} is not a recording of counters: {}", path.native(), error.what()));
    }
    rows_ = file.tellg();
}

bool CounterRecording::next(std::ifstream& file, CounterRow& row) const {
    RowHead head{};
    if (!file.read(bytesOf(head), sizeof head) || head.source >= sources_.size()) return false;
    row.time = head.time;
    row.source = head.source;
    row.interpolated = head.interpolated;
    row.lost = head.lost;
    row.values.resize(sources_[head.source].columns.size());
    return !!file.read(reinterpret_cast<char*>(row.values.data()),
                       static_cast<std::streamsize>(row.values.size() * sizeof(double)));
}

}  // namespace zetl::command
