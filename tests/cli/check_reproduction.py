#!/usr/bin/env python3
"""Checks a folder of `geodisk reproduce`: check_reproduction.py FOLDER [PAGE]. Every table of report (and page) has as many columns
as its head; summaries are the means, or the quartiles, of seeds.tsv (varies-seeds.tsv); claims.tsv is complete; no table holds a NaN. Prints "fine" or what is wrong."""
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

# Summaries against seeds.tsv: mean, standard error, how many; for beyond-rates the quartiles.
def number(text):
    return None if text == "" else float(text)

def quantile(values, q):
    values, place = sorted(values), q * (len(values) - 1)
    below = int(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (place - below) * (values[above] - values[below])

def differs(said, found, spread):
    return abs(found - said) > 1e-7 * (abs(found) + spread) + 1e-12

groups = {}
seen = set()
for name in "seeds", "varies-seeds":
    for row in table(name) if os.path.exists(f"{folder}/{name}.tsv") else []:
        key = (row["table"], row["update"] or row["method"], row["rate"], row["iterations"])
        if key + (row["seed"],) in seen:
            wrong.append(f"{name}.tsv: {key}, seed {row['seed']}, twice")
        seen.add(key + (row["seed"],))
        groups.setdefault(key, []).append(row)
compared = {}
for name in sorted({key[0] for key in groups}):
    path = f"{folder}/{name}-offsets.tsv" if name == "barycenter" else f"{folder}/{name}.tsv"
    if not os.path.exists(path):
        continue
    for row in table(os.path.basename(path)[:-4]):
        label = f"{name} {row.get('update') or row.get('method')} {row['rate']}"
        runs = groups.get((name, row.get("update") or row.get("method"), row["rate"], row.get("iterations", "")))
        if runs is None:
            wrong.append(f"nothing by seed for {label}")
            continue
        for measure in ("loss", "exact", "tau", "tau_closure", "mean_rank", "map", "offset"):
            values = [number(run[measure]) for run in runs if run[measure] != ""]
            short = "rank" if measure == "mean_rank" else measure
            for k in (1, 2, 3) if f"{short}_1" in row else ():
                compared[name] = compared.get(name, 0) + 1
                found = quantile(values, k / 4)
                if differs(float(row[f"{short}_{k}"]), found, 0):
                    wrong.append(f"{label} {measure}: quartile {k} is {row[f'{short}_{k}']}, by the seeds {found}")
            if row.get(measure, "") == "":
                continue
            mean = sum(values) / len(values)
            spread = math.sqrt(sum((v - mean) ** 2 for v in values) / max(len(values) - 1, 1) / len(values))
            said, error = float(row[measure]), float(row[measure + "_error"])
            compared[name] = compared.get(name, 0) + 1
            if differs(said, mean, spread) or abs(spread - error) > 1e-5 * spread + 1e-7 * abs(mean) + 1e-12:
                wrong.append(f"{label} {measure}: {said} ± {error}, by the seeds {mean} ± {spread}")
        if int(float(row["seeds"])) != max(sum(run[m] != "" for run in runs) for m in ("loss", "tau", "mean_rank")):
            wrong.append(f"{label}: {row['seeds']} seeds, {len(runs)} in seeds.tsv")
for name in {key[0] for key in groups} - set(compared):
    wrong.append(f"no summary of {name} was compared")
print("fine" if not wrong else "\n".join(wrong[:20]))
