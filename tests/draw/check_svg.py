"""check_svg.py - reads the pictures of `geodisk plot` as a drawing program would and measures them.

Trains two small models (2 and 5 dimensions), draws them, and fits every edge from the SVG alone: the circle of an arc meets the rim
at right angles, a straight one runs through the centre; the node asked for is at the centre, all nodes lie in the disk, boxes of
labels and legend do not overlap, and the same input gives the same bytes. The command is in the environment variable GEODISK.
"""
import math
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

GEODISK = os.environ["GEODISK"]
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<img src=x onerror=\"alert('1')\"> & ]]>"
TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../src/draw/text_width.c")


def run(*words):
    subprocess.run([GEODISK, *words, "--quiet"], check=True)


def widths():
    """The table of the widths of letters, regular and bold."""
    with open(TABLE, encoding="utf-8") as file:
        numbers = [int(n) for n in re.findall(r"\d+", re.search(r"\[95\] = \{(.*?)\};", file.read(), re.S)[1])]
    assert len(numbers) == 190, len(numbers)
    return numbers[:95], numbers[95:]


WIDTHS = widths()


def box(text):
    """left, top, right, bottom of a <text>."""
    size = float(text.get("font-size"))
    table = WIDTHS[text.get("font-weight") == "bold"]
    width = size * sum(table[ord(c) - 32] if 32 <= ord(c) < 127 else 700 for c in text.text) / 1000
    x = float(text.get("x")) - {None: 0, "middle": width / 2, "end": width}[text.get("text-anchor")]
    y = float(text.get("y"))
    return x, y - 0.76 * size, x + width, y + 0.24 * size


class Picture:
    def __init__(self, path):
        self.root = ET.parse(path).getroot()
        self.groups = {group.get("id"): group for group in self.root.findall(SVG + "g")}
        rim = self.groups["rim"].find(SVG + "circle")
        self.x, self.y, self.radius = (float(rim.get(key)) for key in ("cx", "cy", "r"))
        self.nodes = {}
        for circle in self.groups["nodes"].iter(SVG + "circle"):
            self.nodes[circle.find(SVG + "title").text] = ((float(circle.get("cx")) - self.x) / self.radius,
                                                           (self.y - float(circle.get("cy"))) / self.radius)

    def edges(self):
        """Each edge as (end, end, radius of its circle or None), in units of the disk."""
        for path in self.groups["edges"].iter(SVG + "path"):
            n = [float(x) for x in re.findall(r"-?[\d.]+(?:e-?\d+)?", path.get("d"))]
            start = ((n[0] - self.x) / self.radius, (self.y - n[1]) / self.radius)
            end = ((n[-2] - self.x) / self.radius, (self.y - n[-1]) / self.radius)
            yield start, end, n[2] / self.radius if "A" in path.get("d") else None, path.get("d")


def right_angles(picture):
    """How far, at the worst, edges are from right angles to the rim: in units of the disk, at the ends and the middle of the edge."""
    worst, arcs = 0, 0
    for p, q, r, d in picture.edges():
        chord = math.dist(p, q)
        if chord < 0.01:  # a few pixels: coordinates rounded to 1/1000 of one say nothing about the circle
            continue
        if r is None:
            worst = max(worst, abs(p[0] * q[1] - p[1] * q[0]) / chord)  # distance of the line from the centre
            continue
        arcs += 1
        # Of the two circles of radius r through both ends, the one on the side that the sweep flag tells (y upwards here).
        sweep = d.split("A")[1].split()[4] == "1"
        middle = ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)
        height = math.sqrt(max(0, r * r - chord * chord / 4)) * (1 if sweep else -1)
        c = (middle[0] + height * (q[1] - p[1]) / chord, middle[1] - height * (q[0] - p[0]) / chord)
        # Where the circle meets the rim, the angle between the radii has the cosine (1 + r^2 - |c|^2) / 2r.
        worst = max(worst, abs(1 + r * r - c[0] * c[0] - c[1] * c[1]) / (2 * r))
    return worst, arcs


def overlaps(picture):
    boxes = [box(text) for name in ("labels", "legend") for text in picture.groups[name].iter(SVG + "text")]
    found = sum(1 for i, a in enumerate(boxes) for b in boxes[:i]
                if a[0] < b[2] - 1e-3 and b[0] < a[2] - 1e-3 and a[1] < b[3] - 1e-3 and b[1] < a[3] - 1e-3)
    return found, len(boxes)


def check(path, nodes, centre=None):
    picture = Picture(path)
    worst, arcs = right_angles(picture)
    found, boxes = overlaps(picture)
    outside = max(math.hypot(*x) for x in picture.nodes.values())
    print(f"{path}: {len(picture.nodes)} nodes, {arcs} arcs, worst cosine {worst:.2e}, {boxes} boxes of text")
    assert len(picture.nodes) == nodes and arcs > nodes // 4, (len(picture.nodes), arcs)
    assert worst < 1e-3, worst
    assert found == 0 and boxes > 20, (found, boxes)
    assert outside <= 1, outside
    if centre is not None:
        assert math.hypot(*picture.nodes[centre]) < 1e-5, picture.nodes[centre]
    return picture


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run("graph", "generate", "recursive", "--nodes", "500", "--seed", "3", "-o", "numbers.tsv")
        with open("numbers.tsv", encoding="utf-8") as file, open("tree.tsv", "w", encoding="utf-8") as out:
            for line in file:
                out.write("\t".join('"' + HOSTILE.replace('"', '""') + '"' if n == "17" else f"node_{n}.n.01" for n in line.split()) + "\n")
        for dim in (2, 5):
            model = f"{dim}.safetensors"
            run("train", "tree.tsv", "--closure", "--dim", str(dim), "--epochs", "30", "-o", model)
            plot = lambda out, *more, model=model: run("plot", model, "tree.tsv", "-o", out, *more)
            plot("a.svg")
            picture = check("a.svg", 500)
            assert HOSTILE in picture.nodes and picture.root.findall(".//img") == []
            plot("b.svg")
            with open("a.svg", "rb") as a, open("b.svg", "rb") as b:
                assert a.read() == b.read()
            plot("c.svg", "--centre", "node_100.n.01", "--theme", "dark", "--size", "2000", "--grid")
            check("c.svg", 500, "node_100.n.01")
            plot("d.svg", "--centre", "barycenter", "--highlight", HOSTILE.replace(",", ",,"), "--labels", "400", "--size", "800",
                 "--full-names")
            picture = check("d.svg", 500)
            assert HOSTILE in [text.text for text in picture.groups["labels"].iter(SVG + "text")]


sys.exit(main())
