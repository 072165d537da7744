"""The same without `zetl run`."""
import ze_tools_layer

ze_tools_layer.enable("small")
import dpnp_sum  # noqa: E402,F401
