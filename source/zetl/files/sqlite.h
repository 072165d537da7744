// A database of SQLite in memory, whose bytes are a database file. The library is opened when the first one is made, so
// that zetl runs where it is not installed.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

namespace zetl::command {

class SqliteDatabase {
  public:
    /// Throws UsageError, with the remedy, if SQLite is not installed or too old.
    SqliteDatabase();
    ~SqliteDatabase();
    SqliteDatabase(const SqliteDatabase&) = delete;
    SqliteDatabase& operator=(const SqliteDatabase&) = delete;

    /// Null, a number or a text.
    struct Value {
        enum class Kind : std::uint8_t { null, number, text };
        Value() = default;
        /// Numbers above INT64_MAX become negative: SQLite has no others.
        Value(std::uint64_t number) : kind(Kind::number), number(number) {}
        Value(std::string text) : kind(Kind::text), text(std::move(text)) {}

        Kind kind = Kind::null;
        std::uint64_t number = 0;
        std::string text;
    };
    /// Null for 0.
    static Value unlessZero(std::uint64_t number) { return number ? Value(number) : Value(); }

    /// All throw std::runtime_error if SQLite refuses, for instance without memory.
    void execute(const char* statements);
    /// Adds a row to the table, which has that many columns.
    void insert(const char* table, std::initializer_list<Value> row);
    /// The database file.
    std::string bytes();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace zetl::command
