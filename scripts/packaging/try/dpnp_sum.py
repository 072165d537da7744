"""A kernel of dpnp's, on the device that SYCL chooses."""
import dpnp

x = dpnp.arange(1024, dtype="f4")
print(x.sycl_device.name, "sum", float(dpnp.sum(x)))
