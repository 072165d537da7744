import pytest


@pytest.mark.zetl_gpu
def test_sum():
    import dpnp

    assert float(dpnp.sum(dpnp.ones(10, dtype="f4"))) == 10


def test_without_a_gpu():
    assert True
