# What `cmake --install` puts below the prefix: the two libraries, the slot links, zetl, the headers, what an outside project
# needs to find them (CMake package and pkg-config file), and what people read. Nothing of it names the source or build
# tree, so the prefix can be moved and the trees can go.
include(CMakePackageConfigHelpers)
include(ManPages)

# All that is installed, for those who want no samples and no tests.
set(product ze_tools_layer ze_emulated_gpu ze_emulated_opencl ze_instrumentation zetl zetl_check_provider zetl_ocloc zetl_opencl zetl_trace zetl_queries)
if(ZETL_BUILDS_NVIDIA)
    list(APPEND product ze_nvidia_gpu zetl_spirv_to_ptx)
endif()
add_custom_target(product DEPENDS ${product})

set(package_directory ${CMAKE_INSTALL_LIBDIR}/cmake/ze_tools_layer)

# Each file belongs to the component that Package.cmake makes a package of.
install(TARGETS ze_tools_layer ze_instrumentation
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
set(drivers ze_emulated_gpu ze_emulated_opencl)
set(compiler_programs zetl_ocloc)
if(ZETL_BUILDS_NVIDIA)
    list(APPEND drivers ze_nvidia_gpu)
    list(APPEND compiler_programs zetl_spirv_to_ptx)
endif()
install(TARGETS ${drivers}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT drivers NAMELINK_COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ze_tools_layer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
    FILES_MATCHING PATTERN "*.h")

install(DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${ZETL_SLOT_DIRECTORY} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT tools
    FILES_MATCHING PATTERN "libze_*_layer.so.1" PATTERN loader EXCLUDE PATTERN compiler EXCLUDE)
install(TARGETS zetl zetl_check_provider RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tools)
install(TARGETS ${compiler_programs}
    RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/${ZETL_SLOT_DIRECTORY} COMPONENT drivers)
install(TARGETS zetl_opencl RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/${ZETL_SLOT_DIRECTORY} COMPONENT tools)
install(TARGETS zetl_trace zetl_queries
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/${ZETL_SLOT_DIRECTORY} COMPONENT tools)
# A loader that is new enough for SYCL, which zetl puts in front of an older one of the system (scripts/build_loader makes it).
set(ZETL_LOADER "" CACHE PATH "Directory of a Level Zero loader and its tracing layer to install with zetl; empty: none")
if(ZETL_LOADER)
    install(FILES ${ZETL_LOADER}/libze_loader.so.1 ${ZETL_LOADER}/libze_tracing_layer.so.1
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/${ZETL_SLOT_DIRECTORY}/loader COMPONENT tools)
endif()

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ze_tools_layer-config.cmake.in
    ${PROJECT_BINARY_DIR}/package/ze_tools_layer-config.cmake INSTALL_DESTINATION ${package_directory})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/ze_tools_layer-config-version.cmake
    COMPATIBILITY SameMajorVersion)
file(RELATIVE_PATH prefix_from_pc /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(${PROJECT_SOURCE_DIR}/cmake/ze-tools-layer.pc.in
    ${PROJECT_BINARY_DIR}/package/ze-tools-layer.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/ze_tools_layer-config.cmake
    ${PROJECT_BINARY_DIR}/package/ze_tools_layer-config-version.cmake ${PROJECT_SOURCE_DIR}/cmake/FindLevelZero.cmake
    DESTINATION ${package_directory} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/package/ze-tools-layer.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
    COMPONENT development)

install(FILES ${PROJECT_BINARY_DIR}/man/zetl.1 ${PROJECT_BINARY_DIR}/man/zetl_check_provider.1
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT tools)
install(FILES ${PROJECT_BINARY_DIR}/man/libze_tools_layer.7 ${PROJECT_BINARY_DIR}/man/libze_emulated_gpu.7 ${PROJECT_BINARY_DIR}/man/libze_nvidia_gpu.7
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man7 COMPONENT documentation)
set(documents ${CMAKE_INSTALL_DATADIR}/doc/ze-tools-layer)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${documents} COMPONENT documentation RENAME copyright)
install(FILES ${PROJECT_SOURCE_DIR}/README.md DESTINATION ${documents} COMPONENT documentation)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${documents} COMPONENT documentation FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "man" EXCLUDE)
# Level Zero headers that are new enough, for systems that have none.
install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/compiler DESTINATION ${CMAKE_INSTALL_DATADIR}/ze-tools-layer COMPONENT drivers)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/fetch_headers DESTINATION ${CMAKE_INSTALL_DATADIR}/ze-tools-layer
    COMPONENT development)
