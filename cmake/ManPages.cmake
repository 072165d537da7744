# The man pages, from docs/man: the environment variables come from docs/reference/settings.md, the version from the project.
zetl_settings_of("(^|, )layer" layer_settings)
zetl_settings_of("emulated GPU" emulated_gpu_settings)
zetl_settings_of("NVIDIA" nvidia_gpu_settings)
zetl_settings_of("recorder" recorder_settings)
zetl_settings_of("libzetl_queries" queries_settings)

foreach(page zetl.1 zetl_check_provider.1 libze_tools_layer.7 libze_emulated_gpu.7 libze_nvidia_gpu.7)
    configure_file(${PROJECT_SOURCE_DIR}/docs/man/${page}.in ${PROJECT_BINARY_DIR}/man/${page} @ONLY)
endforeach()
