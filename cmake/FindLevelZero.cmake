# The Level Zero headers and the stock loader.
#
# The headers may be newer than the system's own: set LevelZero_INCLUDE_DIR to the directory above level_zero/. Else those
# below LevelZero_INCLUDE_HINT are preferred, then those of CMAKE_PREFIX_PATH and of the system.
#   LevelZero::headers  the headers      LevelZero_VERSION  their specification version, such as 1.12
#   LevelZero::loader   the system's loader, for programs and tests
if(NOT LevelZero_REMEDY)
    string(CONCAT LevelZero_REMEDY "install the loader (Debian: libze1) and headers that are new enough (libze-dev of a later "
        "release), or set LevelZero_INCLUDE_DIR to a directory with such headers, which share/ze-tools-layer/fetch_headers gets")
endif()
find_path(LevelZero_INCLUDE_DIR level_zero/zet_api.h
    HINTS ${LevelZero_INCLUDE_HINT} NO_DEFAULT_PATH)
find_path(LevelZero_INCLUDE_DIR level_zero/zet_api.h)
find_library(LevelZero_LOADER NAMES ze_loader libze_loader.so.1)

if(LevelZero_INCLUDE_DIR)
    file(STRINGS ${LevelZero_INCLUDE_DIR}/level_zero/ze_api.h version_line REGEX "ZE_API_VERSION_CURRENT = ZE_MAKE_VERSION")
    string(REGEX MATCH "([0-9]+), *([0-9]+)" unused "${version_line}")
    set(LevelZero_VERSION ${CMAKE_MATCH_1}.${CMAKE_MATCH_2})
    # Two loaders carry 1.11, and the older lacks one function (include/ze_tools_layer/level_zero/spec.h).
    file(STRINGS ${LevelZero_INCLUDE_DIR}/level_zero/ze_api.h kernel_get_binary REGEX "^zeKernelGetBinaryExp")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LevelZero
    REQUIRED_VARS LevelZero_INCLUDE_DIR LevelZero_LOADER VERSION_VAR LevelZero_VERSION
    REASON_FAILURE_MESSAGE "${LevelZero_REMEDY}")

if(LevelZero_FOUND AND NOT TARGET LevelZero::headers)
    add_library(LevelZero::headers INTERFACE IMPORTED)
    # The second one because zel_tracing_ddi.h includes "layers/..." as if it lay there.
    target_include_directories(LevelZero::headers SYSTEM INTERFACE
        ${LevelZero_INCLUDE_DIR} ${LevelZero_INCLUDE_DIR}/level_zero)
    if(LevelZero_VERSION VERSION_EQUAL 1.11 AND NOT kernel_get_binary)
        target_compile_definitions(LevelZero::headers INTERFACE ZETL_HEADERS_OF_LOADER_1_18)
    endif()
    add_library(LevelZero::loader UNKNOWN IMPORTED)
    set_target_properties(LevelZero::loader PROPERTIES IMPORTED_LOCATION ${LevelZero_LOADER})
    target_link_libraries(LevelZero::loader INTERFACE LevelZero::headers)
endif()
