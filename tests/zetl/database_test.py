#!/usr/bin/env python3
"""Reads what `zetl trace --sqlite` writes, as analysts do.

    database_test.py ZETL PROGRAM
"""

import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

# query: the one row that it has
EXPECTED = {
    "PRAGMA integrity_check": ("ok",),
    "SELECT count(*) FROM pragma_foreign_key_check": (0,),
    "SELECT value FROM meta WHERE key = 'schema'": ("1",),
    "SELECT count(*), min(command) FROM process": (1, "vector_add"),
    "SELECT launches FROM work_summary WHERE name = 'vector_add'": (1,),
    "SELECT launches FROM work_summary WHERE name = 'copy'": (3,),
    "SELECT calls FROM function_summary WHERE function = 'zeMemFree'": (3,),
    "SELECT count(*) FROM call WHERE end_ns < begin_ns OR result_name <> 'ZE_RESULT_SUCCESS'": (0,),
    "SELECT count(*) FROM stream WHERE name LIKE 'device 0, engine 0.0: queue 0x%'": (1,),
    "SELECT name FROM thread": ("vector_add",),
    "SELECT kind, grid_x, group_x, simd_width, registers, local_bytes FROM work WHERE name = 'vector_add'": ("kernel", 64, 64, 32, 128, 0),
    "SELECT count(*) FROM work WHERE kind = 'copy' AND (grid_x IS NOT NULL OR bytes <> 16384)": (0,),
    # a work names its calls
    """SELECT append.function, submit.function, json_extract(append.arguments, '$.kernel') FROM work
       JOIN call AS append ON append.id = append_call JOIN call AS submit ON submit.id = submit_call
       WHERE name = 'vector_add'""": ("zeCommandListAppendLaunchKernel", "zeCommandQueueExecuteCommandLists", "vector_add"),
}


def main(zetl, program):
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "trace.db"
        subprocess.run([zetl, "trace", "--emulated", "--device", "tiny", "-o", "", "--sqlite", path, "--", program],
                       check=True, capture_output=True, timeout=120)  # fmt: skip
        database = sqlite3.connect(path)
        found = [(query, database.execute(query).fetchall(), row) for query, row in EXPECTED.items()]
        database.close()
    wrong = [f"{query}: {rows}, not {row}" for query, rows, row in found if rows != [row]]
    print("\n".join(wrong) or f"{len(found)} queries have the expected answers")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
