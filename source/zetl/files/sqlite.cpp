#include "files/sqlite.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <map>
#include <stdexcept>
#include <string_view>

#include "text/usage_error.h"

namespace zetl::command {

/// The part of SQLite's stable interface (sqlite3.h) that is used.
struct SqliteCalls {
    int (*open)(const char* name, void** database) = nullptr;
    int (*close)(void* database) = nullptr;
    int (*exec)(void* database, const char* statements, void* callback, void* user, char** message) = nullptr;
    int (*prepare)(void* database, const char* text, int bytes, void** statement, const char** tail) = nullptr;
    int (*bindNumber)(void* statement, int index, std::int64_t value) = nullptr;
    int (*bindText)(void* statement, int index, const char* text, int bytes, void (*release)(void*)) = nullptr;
    int (*bindNull)(void* statement, int index) = nullptr;
    int (*step)(void* statement) = nullptr;
    int (*reset)(void* statement) = nullptr;
    int (*finalize)(void* statement) = nullptr;
    const char* (*message)(void* database) = nullptr;
    unsigned char* (*serialize)(void* database, const char* schema, std::int64_t* size, unsigned flags) = nullptr;
    void (*release)(void* memory) = nullptr;
};

namespace {

constexpr const char* kSqliteLibrary = "libsqlite3.so.0";
constexpr int kOk = 0;
constexpr int kDone = 101;

template <class F>
void look(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    if (!function) throw UsageError(fmt::format("--sqlite: {} lacks {}; install SQLite 3.36 or newer", kSqliteLibrary, name));
}

/// Stays open until the process ends.
SqliteCalls found() {
    void* library = dlopen(kSqliteLibrary, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        throw UsageError(fmt::format("--sqlite: SQLite is not installed ({}); on Debian, type: apt install libsqlite3-0",
                                     dlerror()));
    SqliteCalls calls;
    look(library, "sqlite3_open", calls.open);
    look(library, "sqlite3_close", calls.close);
    look(library, "sqlite3_exec", calls.exec);
    look(library, "sqlite3_prepare_v2", calls.prepare);
    look(library, "sqlite3_bind_int64", calls.bindNumber);
    look(library, "sqlite3_bind_text", calls.bindText);
    look(library, "sqlite3_bind_null", calls.bindNull);
    look(library, "sqlite3_step", calls.step);
    look(library, "sqlite3_reset", calls.reset);
    look(library, "sqlite3_finalize", calls.finalize);
    look(library, "sqlite3_errmsg", calls.message);
    look(library, "sqlite3_serialize", calls.serialize);
    look(library, "sqlite3_free", calls.release);
    return calls;
}

}  // namespace

struct SqliteDatabase::State {
    State() : calls(found()) {
        if (calls.open(":memory:", &database) == kOk) return;
        calls.close(database);
        throw std::runtime_error("--sqlite: SQLite cannot make a database in memory");
    }
    ~State() {
        for (const auto& [table, insert] : inserts) calls.finalize(insert);
        calls.close(database);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    void require(bool holds) const {
        if (!holds) throw std::runtime_error(fmt::format("--sqlite: {}", calls.message(database)));
    }

    void* insertInto(const char* table, std::size_t columns) {
        const auto [place, isNew] = inserts.try_emplace(table, nullptr);
        if (!isNew) return place->second;
        std::string text = fmt::format("INSERT INTO {} VALUES (?", table);
        for (std::size_t i = 1; i < columns; ++i) text += ", ?";
        require(calls.prepare(database, (text + ")").c_str(), -1, &place->second, nullptr) == kOk);
        return place->second;
    }

    void bind(void* insert, int index, const Value& value) const {
        int code = 0;
        if (value.kind == Value::Kind::number)
            code = calls.bindNumber(insert, index, static_cast<std::int64_t>(value.number));
        else if (value.kind == Value::Kind::text)
            code = calls.bindText(insert, index, value.text.data(), static_cast<int>(value.text.size()), nullptr);
        else
            code = calls.bindNull(insert, index);
        require(code == kOk);
    }

    SqliteCalls calls;
    void* database = nullptr;
    std::map<std::string_view, void*> inserts;  ///< statements by table
};

SqliteDatabase::SqliteDatabase() : state_(std::make_unique<State>()) {}
SqliteDatabase::~SqliteDatabase() = default;

void SqliteDatabase::execute(const char* statements) {
    state_->require(state_->calls.exec(state_->database, statements, nullptr, nullptr, nullptr) == kOk);
}

void SqliteDatabase::insert(const char* table, std::initializer_list<Value> row) {
    void* const insert = state_->insertInto(table, row.size());
    int index = 0;
    for (const auto& value : row) state_->bind(insert, ++index, value);
    const auto code = state_->calls.step(insert);
    state_->require(code == kDone);
    state_->calls.reset(insert);
}

std::string SqliteDatabase::bytes() {
    std::int64_t size = 0;
    const std::unique_ptr<unsigned char, void (*)(void*)> memory(
        state_->calls.serialize(state_->database, "main", &size, 0), state_->calls.release);
    if (!memory) throw std::runtime_error("--sqlite: there is not enough memory for the database");
    return {reinterpret_cast<const char*>(memory.get()), static_cast<std::size_t>(size)};
}

}  // namespace zetl::command
