# What `cmake --install` puts below the prefix: the two libraries, the slot links, zetl, the headers, and what an outside
# project needs to find them (CMake package and pkg-config file).
include(CMakePackageConfigHelpers)

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/ze_tools_layer)

install(TARGETS ze_tools_layer ze_emulated_gpu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ze_tools_layer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")

install(DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${ZETL_SLOT_DIRECTORY} DESTINATION ${CMAKE_INSTALL_LIBDIR}
    FILES_MATCHING PATTERN "libze_*_layer.so.1")
install(TARGETS zetl RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS zetl_ocloc RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/${ZETL_SLOT_DIRECTORY})
install(TARGETS zetl_trace LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${ZETL_SLOT_DIRECTORY})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ze_tools_layer-config.cmake.in
    ${PROJECT_BINARY_DIR}/package/ze_tools_layer-config.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/ze_tools_layer-config-version.cmake
    COMPATIBILITY SameMajorVersion)
configure_file(${PROJECT_SOURCE_DIR}/cmake/ze-tools-layer.pc.in
    ${PROJECT_BINARY_DIR}/package/ze-tools-layer.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/ze_tools_layer-config.cmake
    ${PROJECT_BINARY_DIR}/package/ze_tools_layer-config-version.cmake ${PROJECT_SOURCE_DIR}/cmake/FindLevelZero.cmake
    DESTINATION ${package_directory})
install(FILES ${PROJECT_BINARY_DIR}/package/ze-tools-layer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
