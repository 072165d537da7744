// The common part of the writers of moved debug tables.
#pragma once

#include "binary/dwarf_bytes.h"
#include "instrumentation/xe/debug_tables.h"

namespace zetl::instrumentation {

using binary::appendFixed;
using binary::appendSigned;
using binary::appendUnsigned;
using binary::DwarfReader;
using binary::storeFixed;

/// A table that is read from its start and written anew, with other addresses.
class TableRewrite {
  public:
    TableRewrite(binary::ByteView table, const AddressAt& addressAt)
        : view_(table), in_(table), addressAt_(addressAt) {}

  protected:
    /// Writes the bytes between these places unchanged.
    void keep(std::uint64_t from, std::uint64_t end) {
        out_.bytes.insert(out_.bytes.end(), view_.begin() + from, view_.begin() + end);
    }

    binary::ByteView view_;
    DwarfReader in_;
    const AddressAt& addressAt_;
    MovedTable out_;
};

}  // namespace zetl::instrumentation
