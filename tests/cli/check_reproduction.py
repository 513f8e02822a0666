#!/usr/bin/env python3
"""Checks a folder of `geodisk reproduce`: check_reproduction.py FOLDER [PAGE]. Every table of report (and page) has as many columns
as its head; summaries are the means of seeds.tsv; claims.tsv is complete; no table holds a NaN. Prints "fine" or what is wrong."""
import csv, glob, math, os, re, sys

folder, wrong = sys.argv[1], []

def table(name):
    with open(f"{folder}/{name}.tsv", encoding="utf-8", newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))

for path in glob.glob(f"{folder}/*.tsv"):
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    if any("nan" in line.split("\t") for line in lines):
        wrong.append(f"{path} holds a NaN")
    if not lines[0].startswith("# ") or len({line.count("\t") for line in lines[1:]}) != 1:
        wrong.append(f"{path}: no settings, or rows of different lengths")

for path in [f"{folder}/report.md"] + sys.argv[2:]:
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    head = 0
    for number, line in enumerate(lines, 1):
        cells = line.count(" | ") + 1 if line.startswith("|") else 0
        if cells and head and cells != head:
            wrong.append(f"{path}:{number}: {cells} columns under a head of {head}")
        if re.search(r"[^a-z]nan[^a-z]", line):
            wrong.append(f"{path}:{number}: NaN")
        if "|\t" in line or line.startswith("|") and not line.endswith("|"):
            wrong.append(f"{path}:{number}: a row without an end")
        head = 0 if not cells else head or cells

claims = table("claims")
columns = ["number", "status", "claim", "place", "rule", "numbers", "as_printed", "as_corrected", "settled"]
if list(claims[0]) != columns:
    wrong.append(f"claims.tsv: columns {list(claims[0])}")
if sum(row["status"] == "published" for row in claims) < 13 or len({row["number"] for row in claims}) != len(claims):
    wrong.append("claims.tsv: too few published claims, or a number twice")
for row in claims:
    if not all(row[column].strip() for column in columns):
        wrong.append(f"claims.tsv: claim {row['number']} has an empty cell")
    for column in "as_printed", "as_corrected":
        if row[column].split(":")[0] not in ("not", "partly", "reproduced", "not judged", "not run"):
            wrong.append(f"claims.tsv: claim {row['number']}: {row[column]}")

# Summaries against seeds.tsv: mean, standard error, how many.
groups = {}
for row in table("seeds"):
    key = (row["table"], row["update"], row["rate"], row["iterations"])
    groups.setdefault(key, []).append(row)
compared = 0
for name in sorted({key[0] for key in groups}):
    path = f"{folder}/{name}-offsets.tsv" if name == "barycenter" else f"{folder}/{name}.tsv"
    if name in ("embeddings", "beyond-rates") or not os.path.exists(path):
        continue
    for row in table(os.path.basename(path)[:-4]):
        runs = groups.get((name, row["update"], row["rate"], row.get("iterations", "")))
        if runs is None:
            wrong.append(f"seeds.tsv has nothing for {name} {row['update']} {row['rate']}")
            continue
        for measure in ("loss", "exact", "tau", "tau_closure", "mean_rank", "map", "offset"):
            if row.get(measure, "") == "":
                continue
            values = [float(run[measure]) for run in runs if run[measure] != ""]
            mean = sum(values) / len(values)
            spread = math.sqrt(sum((v - mean) ** 2 for v in values) / max(len(values) - 1, 1) / len(values))
            said, error = float(row[measure]), float(row[measure + "_error"])
            compared += 1
            if abs(mean - said) > 1e-7 * (abs(mean) + spread) + 1e-12 or abs(spread - error) > 1e-5 * spread + 1e-7 * abs(mean) + 1e-12:
                wrong.append(f"{name} {row['update']} {row['rate']} {measure}: {said} ± {error}, by the seeds {mean} ± {spread}")
if groups and compared == 0:
    wrong.append("no summary was compared")
print("fine" if not wrong else "\n".join(wrong[:20]))
