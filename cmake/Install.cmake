# What `cmake --install` puts below the prefix: the two libraries, the slot links, zetl, the headers, what an outside project
# needs to find them (CMake package and pkg-config file), and what people read. Nothing of it names the source or build
# tree, so the prefix can be moved and the trees can go.
include(CMakePackageConfigHelpers)
include(ManPages)

# All that is installed, for those who want no samples and no tests.
set(product ze_tools_layer ze_emulated_gpu ze_emulated_opencl ze_instrumentation zetl zetl_check_provider zetl_ocloc zetl_trace zetl_queries)
if(ZETL_BUILDS_NVIDIA)
    list(APPEND product ze_nvidia_gpu zetl_spirv_to_ptx)
endif()
add_custom_target(product DEPENDS ${product})

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/ze_tools_layer)

install(TARGETS ze_tools_layer ze_emulated_gpu ze_emulated_opencl ze_instrumentation LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(ZETL_BUILDS_NVIDIA)
    install(TARGETS ze_nvidia_gpu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ze_tools_layer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")

install(DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${ZETL_SLOT_DIRECTORY} DESTINATION ${CMAKE_INSTALL_LIBDIR}
    FILES_MATCHING PATTERN "libze_*_layer.so.1")
install(TARGETS zetl zetl_check_provider RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS zetl_ocloc RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/${ZETL_SLOT_DIRECTORY})
if(ZETL_BUILDS_NVIDIA)
    install(TARGETS zetl_spirv_to_ptx RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/${ZETL_SLOT_DIRECTORY})
endif()
install(TARGETS zetl_trace zetl_queries LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${ZETL_SLOT_DIRECTORY})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ze_tools_layer-config.cmake.in
    ${PROJECT_BINARY_DIR}/package/ze_tools_layer-config.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/ze_tools_layer-config-version.cmake
    COMPATIBILITY SameMajorVersion)
file(RELATIVE_PATH prefix_from_pc /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(${PROJECT_SOURCE_DIR}/cmake/ze-tools-layer.pc.in
    ${PROJECT_BINARY_DIR}/package/ze-tools-layer.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/ze_tools_layer-config.cmake
    ${PROJECT_BINARY_DIR}/package/ze_tools_layer-config-version.cmake ${PROJECT_SOURCE_DIR}/cmake/FindLevelZero.cmake
    DESTINATION ${package_directory})
install(FILES ${PROJECT_BINARY_DIR}/package/ze-tools-layer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES ${PROJECT_BINARY_DIR}/man/zetl.1 ${PROJECT_BINARY_DIR}/man/zetl_check_provider.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/man/libze_tools_layer.7 ${PROJECT_BINARY_DIR}/man/libze_emulated_gpu.7 ${PROJECT_BINARY_DIR}/man/libze_nvidia_gpu.7
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man7)
set(documents ${CMAKE_INSTALL_DATADIR}/doc/ze-tools-layer)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${documents} RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${documents})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${documents} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "man" EXCLUDE)
# Level Zero headers that are new enough, for systems that have none.
install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/fetch_headers DESTINATION ${CMAKE_INSTALL_DATADIR}/ze-tools-layer)
