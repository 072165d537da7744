"""python -m ze_tools_layer: the same as `zetl`."""
import sys

from ze_tools_layer import main

sys.exit(main())
