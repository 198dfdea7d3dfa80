"""Writes small Parquet files as pyarrow and pandas write them, with their rows as JSON, for the tests of packages/datasets.

    python tools/reference/write_parquet.py packages/datasets/fixtures
"""

import json
import sys
from pathlib import Path

import pandas
import pyarrow
import pyarrow.parquet

CALL = {"type": "function", "function": {"name": "add", "arguments": json.dumps({"a": 1})}}
ROWS = [
    {"messages": [
        {"role": "user", "content": f"Say {word}."},
        {"role": "assistant", "content": word if at % 2 else None, **({} if at % 2 else {"tool_calls": [CALL]})},
    ], "score": None if at == 2 else at / 4, "count": 2**40 + at, "tags": ["a", word] if at else [], "kind": "short", "bytes": bytes([at, 255])}
    for at, word in enumerate(["red", "grün", "青", "blue"])
]
PAIRS = [{"prompt": f"{at} and 1 is", "chosen": f" {at + 1}.", "rejected": " 0."} for at in range(5)]


def main(folder):
    folder.mkdir(exist_ok=True)
    table = pyarrow.Table.from_pylist(ROWS)
    for name in ["snappy", "zstd", "gzip", "none"]:
        pyarrow.parquet.write_table(table, folder / f"{name}.parquet", compression=name, row_group_size=3)
    pyarrow.parquet.write_table(table, folder / "plain.parquet", use_dictionary=False, data_page_version="2.0")
    pandas.DataFrame(PAIRS).to_parquet(folder / "pandas.parquet")
    rows = [{**row, "bytes": list(row["bytes"])} for row in table.to_pylist()]
    (folder / "rows.json").write_text(json.dumps({"table": rows, "pandas": PAIRS}, ensure_ascii=False) + "\n")


main(Path(sys.argv[1]))
