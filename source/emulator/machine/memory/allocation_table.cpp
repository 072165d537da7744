#include "emulator/machine/memory/allocation_table.h"

#include <algorithm>

namespace zetl::emulator::machine {
namespace {

constexpr std::size_t kLeafEntries = 256;

bool beginsAfter(std::uint64_t address, const Allocation& a) noexcept { return address < a.begin; }

/// Position of the first entry of the leaf that begins after the address.
auto upper(const std::vector<Allocation>& leaf, std::uint64_t address) noexcept {
    return std::upper_bound(leaf.begin(), leaf.end(), address, beginsAfter);
}

}  // namespace

AllocationTable::AllocationTable(Quiescence& quiescence) : quiescence_(quiescence), root_(new Root) {}

AllocationTable::~AllocationTable() { delete root_.load(); }

const AllocationTable::Branch* AllocationTable::branchOf(const Root& root, std::uint64_t address) noexcept {
    const auto next = std::upper_bound(root.begin(), root.end(), address,
                                       [](std::uint64_t a, const Branch& b) { return a < b.first; });
    return next == root.begin() ? nullptr : &*std::prev(next);
}

const Allocation* AllocationTable::before(std::uint64_t address) const noexcept {
    const Branch* branch = branchOf(root(), address);
    if (branch == nullptr) return nullptr;
    const auto next = upper(*branch->leaf, address);
    return next == branch->leaf->begin() ? nullptr : &*std::prev(next);
}

const Allocation* AllocationTable::after(std::uint64_t address) const noexcept {
    const Root& all = root();
    const Branch* branch = branchOf(all, address);
    if (branch == nullptr) return all.empty() ? nullptr : &all.front().leaf->front();
    const auto next = upper(*branch->leaf, address);
    if (next != branch->leaf->end()) return &*next;
    return branch == &all.back() ? nullptr : &branch[1].leaf->front();
}

const Allocation* AllocationTable::find(std::uint64_t address) const noexcept {
    const Allocation* candidate = before(address);
    return candidate != nullptr && candidate->contains(address) ? candidate : nullptr;
}

bool AllocationTable::covers(std::uint64_t first, std::uint64_t last, bool write) const noexcept {
    const Permission least = write ? Permission::readWrite : Permission::read;
    if (last < first) return false;
    while (first < last) {
        const Allocation* part = find(first);
        if (part == nullptr || part->permission < least) return false;
        first = part->end;
    }
    return true;
}

std::vector<Allocation> AllocationTable::list() const {
    std::vector<Allocation> all;
    for (const Branch& branch : root()) all.insert(all.end(), branch.leaf->begin(), branch.leaf->end());
    return all;
}

void AllocationTable::add(Root& root, const Allocation& allocation) {
    if (root.empty()) root.push_back({allocation.begin, std::make_shared<const Leaf>()});
    const Branch* found = branchOf(root, allocation.begin);
    const std::size_t index = found == nullptr ? 0 : static_cast<std::size_t>(found - root.data());
    Leaf leaf = *root[index].leaf;
    leaf.insert(upper(leaf, allocation.begin), allocation);
    if (leaf.size() > kLeafEntries) {
        const auto middle = leaf.begin() + static_cast<std::ptrdiff_t>(leaf.size() / 2);
        auto rest = std::make_shared<const Leaf>(middle, leaf.end());
        const std::uint64_t first = rest->front().begin;
        root.insert(root.begin() + static_cast<std::ptrdiff_t>(index) + 1, {first, std::move(rest)});
        leaf.erase(middle, leaf.end());
    }
    const std::uint64_t first = leaf.front().begin;
    root[index] = {first, std::make_shared<const Leaf>(std::move(leaf))};
}

void AllocationTable::remove(Root& root, std::uint64_t begin) {
    const Branch* found = branchOf(root, begin);
    if (found == nullptr) return;
    const std::size_t index = static_cast<std::size_t>(found - root.data());
    Leaf leaf = *found->leaf;
    std::erase_if(leaf, [begin](const Allocation& a) { return a.begin == begin; });
    if (leaf.empty()) {
        root.erase(root.begin() + static_cast<std::ptrdiff_t>(index));
    } else {
        const std::uint64_t first = leaf.front().begin;
        root[index] = {first, std::make_shared<const Leaf>(std::move(leaf))};
    }
}

bool AllocationTable::insert(const Allocation& allocation) {
    const Allocation* left = before(allocation.end - 1);
    if (left != nullptr && left->end > allocation.begin) return false;
    auto next = std::make_unique<Root>(root());
    add(*next, allocation);
    publish(std::move(next));
    return true;
}

void AllocationTable::erase(std::uint64_t begin) {
    auto next = std::make_unique<Root>(root());
    remove(*next, begin);
    publish(std::move(next));
}

void AllocationTable::split(std::uint64_t begin, const std::vector<Allocation>& parts) {
    auto next = std::make_unique<Root>(root());
    remove(*next, begin);
    for (const Allocation& part : parts) add(*next, part);
    publish(std::move(next));
}

void AllocationTable::publish(std::unique_ptr<const Root> next) {
    retired_.reserve(retired_.size() + 1);  // nothing is published without
    std::unique_ptr<const Root> old(root_.exchange(next.release(), std::memory_order_seq_cst));
    // Before the ticket: a reader that begins behind it must not go on with what it remembers.
    version_.fetch_add(1, std::memory_order_seq_cst);
    retired_.push_back({quiescence_.ticket(), std::move(old)});
    reap();
}

void AllocationTable::reap() {
    std::erase_if(retired_, [this](const Retired& r) { return quiescence_.passed(r.ticket); });
}

}  // namespace zetl::emulator::machine
