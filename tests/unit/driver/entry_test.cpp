#include "driver/entry.h"

#include <gtest/gtest.h>
#include <level_zero/zes_api.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "driver/lifetime.h"
#include "driver/object.h"

// Named, since the machinery's templates are made of these classes.
namespace zetl::driver::entry_test {

// Objects of two kinds, behind handles that the emulated driver has no objects for.
class Room : public Object<Room, zes_fan_handle_t> {
  public:
    static constexpr const char* kNoun = "room";
};

struct Size {
    std::uint32_t width;
    std::uint32_t height;
};

class House : public Object<House, zes_psu_handle_t> {
  public:
    static constexpr const char* kNoun = "house";

    static Result<std::shared_ptr<House>> create(const int& rooms) {
        if (rooms < 0) return ZE_RESULT_ERROR_INVALID_SIZE;
        auto house = std::make_shared<House>();
        for (int i = 0; i < rooms; ++i) house->rooms_.push_back(std::make_shared<Room>());
        for (const auto& room : house->rooms_) live<Room>().add(room);
        return house;
    }
    Status setSize(const Size& size) noexcept {
        size_ = size;
        return ZE_RESULT_SUCCESS;
    }
    std::uint32_t width() const noexcept { return size_.width; }
    const std::vector<std::shared_ptr<Room>>& rooms() const noexcept { return rooms_; }
    Room& first() const noexcept { return *rooms_.front(); }
    Room* attic() const noexcept { return nullptr; }
    bool has(const Room& room) const noexcept { return &room == &first(); }
    Status enter(std::shared_ptr<Room> room) noexcept { return room ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY; }
    std::vector<const char*> names() const { return {"hall", "attic"}; }
    Result<int> number() const { return ZE_RESULT_ERROR_INVALID_SIZE; }
    void rename(const char*, int& length) const noexcept { length = 7; }
    [[noreturn]] Status burn() const { throw std::bad_alloc(); }

  private:
    Size size_{};
    std::vector<std::shared_ptr<Room>> rooms_;
};

using HouseHandle = zes_psu_handle_t;
using RoomHandle = zes_fan_handle_t;

}  // namespace zetl::driver::entry_test

template <>
struct zetl::driver::ObjectOf<zes_psu_handle_t> {
    using type = entry_test::House;
};
template <>
struct zetl::driver::ObjectOf<zes_fan_handle_t> {
    using type = entry_test::Room;
};

namespace zetl::driver::entry_test {

inline bool isOpen = true;
inline Status open() { return isOpen ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_UNINITIALIZED; }

constexpr auto create = ZETL_ENTRY(create, ze_result_t(const int*, HouseHandle*), always, "pp", House::create,
                                   ZE_RESULT_ERROR_INVALID_SIZE);
constexpr auto setSize =
    ZETL_ENTRY(setSize, ze_result_t(HouseHandle, std::uint32_t, std::uint32_t), always, "h(..)", House::setSize);
constexpr auto width = ZETL_ENTRY(width, ze_result_t(HouseHandle, std::uint32_t*), always, "hp", House::width);
constexpr auto rooms =
    ZETL_ENTRY(rooms, ze_result_t(HouseHandle, std::uint32_t*, RoomHandle*), always, "hp.", House::rooms);
constexpr auto first = ZETL_ENTRY(first, ze_result_t(HouseHandle, RoomHandle*), always, "hp", House::first);
constexpr auto attic = ZETL_ENTRY(attic, ze_result_t(HouseHandle, RoomHandle*), always, "hp", House::attic);
constexpr auto has = ZETL_ENTRY(has, ze_result_t(HouseHandle, RoomHandle, ze_bool_t*), always, "hhp", House::has);
constexpr auto enter =
    ZETL_ENTRY(enter, ze_result_t(HouseHandle, RoomHandle), always, "ho", House::enter, ZE_RESULT_NOT_READY);
constexpr auto names =
    ZETL_ENTRY(names, ze_result_t(HouseHandle, std::uint32_t*, const char**), always, "hp.", House::names);
constexpr auto number = ZETL_ENTRY(number, ze_result_t(HouseHandle, int*), always, "hp", House::number);
constexpr auto rename =
    ZETL_ENTRY(rename, ze_result_t(HouseHandle, RoomHandle, const char*, int*), always, "happ", House::rename);
constexpr auto burn = ZETL_ENTRY(burn, ze_result_t(HouseHandle), always, "h", House::burn);
constexpr auto end = ZETL_ENTRY(end, ze_result_t(HouseHandle), always, "h", destroy<House>);
constexpr auto knock = ZETL_ENTRY(knock, ze_result_t(HouseHandle), open, "a", nothingToDo);

class EntryTest : public testing::Test {
  protected:
    void SetUp() override {
        lifetime::initialise();
        const int two = 2;
        ASSERT_EQ(create(&two, &house), ZE_RESULT_SUCCESS);
        ASSERT_EQ(first(house, &room), ZE_RESULT_SUCCESS);
    }
    HouseHandle house = nullptr;
    RoomHandle room = nullptr;
};

TEST_F(EntryTest, MakesNewObjectsAlive) {
    EXPECT_NE(live<House>().find(house), nullptr);
    const int wrong = -1;
    HouseHandle none = nullptr;
    EXPECT_EQ(create(&wrong, &none), ZE_RESULT_ERROR_INVALID_SIZE);
    EXPECT_EQ(none, nullptr);
}

TEST_F(EntryTest, ChecksHandlesBeforePointers) {
    EXPECT_EQ(has(house, nullptr, nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(has(nullptr, room, nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(has(house, room, nullptr), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    ze_bool_t answer = false;
    EXPECT_EQ(has(house, room, &answer), ZE_RESULT_SUCCESS);
    EXPECT_TRUE(answer);
}

TEST_F(EntryTest, RefusesHandlesOfOtherObjects) {
    std::uint32_t answer = 0;
    EXPECT_EQ(width(reinterpret_cast<HouseHandle>(room), &answer), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    int length = 0;
    EXPECT_EQ(rename(house, reinterpret_cast<RoomHandle>(house), "", &length), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(rename(house, room, "", &length), ZE_RESULT_SUCCESS) << "an object that only has to be alive";
    EXPECT_EQ(length, 7);
}

TEST_F(EntryTest, PassesOptionalHandles) {
    EXPECT_EQ(enter(house, nullptr), ZE_RESULT_NOT_READY);
    EXPECT_EQ(enter(house, room), ZE_RESULT_SUCCESS);
    EXPECT_EQ(enter(house, reinterpret_cast<RoomHandle>(house)), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

TEST_F(EntryTest, GathersArguments) {
    ASSERT_EQ(setSize(house, 12, 3), ZE_RESULT_SUCCESS);
    std::uint32_t answer = 0;
    EXPECT_EQ(width(house, &answer), ZE_RESULT_SUCCESS);
    EXPECT_EQ(answer, 12u);
}

TEST_F(EntryTest, ListsObjectsAndValues) {
    std::uint32_t count = 0;
    ASSERT_EQ(rooms(house, &count, nullptr), ZE_RESULT_SUCCESS);
    EXPECT_EQ(count, 2u);
    count = 9;
    std::array<RoomHandle, 2> all{};
    ASSERT_EQ(rooms(house, &count, all.data()), ZE_RESULT_SUCCESS);
    EXPECT_EQ(count, 2u);
    EXPECT_EQ(all[0], room);
    EXPECT_NE(all[1], nullptr);
    std::array<const char*, 2> texts{};
    count = 1;
    ASSERT_EQ(names(house, &count, texts.data()), ZE_RESULT_SUCCESS);
    EXPECT_STREQ(texts[0], "hall");
    EXPECT_EQ(texts[1], nullptr) << "as many as the caller has room for";
    EXPECT_EQ(names(house, nullptr, texts.data()), ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

TEST_F(EntryTest, WritesHandles) {
    RoomHandle found = room;
    ASSERT_EQ(attic(house, &found), ZE_RESULT_SUCCESS);
    EXPECT_EQ(found, nullptr);
}

TEST_F(EntryTest, ReturnsOnlyTheCodesOfItsRow) {
    int answer = 0;
    EXPECT_EQ(number(house, &answer), ZE_RESULT_ERROR_UNKNOWN) << "the row has no INVALID_SIZE";
    EXPECT_EQ(burn(house), ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
}

TEST_F(EntryTest, DestroysOnce) {
    EXPECT_EQ(end(house), ZE_RESULT_SUCCESS);
    EXPECT_EQ(end(house), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
}

TEST_F(EntryTest, AsksItsConditionBeforeItsArguments) {
    isOpen = false;
    EXPECT_EQ(knock(nullptr), ZE_RESULT_ERROR_UNINITIALIZED);
    isOpen = true;
    EXPECT_EQ(knock(nullptr), ZE_RESULT_ERROR_INVALID_NULL_HANDLE);
    EXPECT_EQ(knock(house), ZE_RESULT_SUCCESS);
}

// What a row may say of arguments and methods is checked at compile time; here is how it tells where arguments go.
static_assert(detail::placesOf("hp", 2).results == 0);
static_assert(detail::placesOf("hp", 1).results == 1);
static_assert(detail::placesOf("hp.", 1).results == 2);
static_assert(detail::placesOf("ap.", 0).results == 2);
static_assert(detail::placesOf("ap.", 3).taken == 2, "a method that wants more than it is given");
static_assert(detail::placesOf("h.(...)p", 3).taken == 3);
static_assert(detail::placesOf("h.(...)p", 3).results == 1);
static_assert(detail::placesOf("h.(...)p", 3).parameter[4] == 2);

}  // namespace zetl::driver::entry_test
