# What a release is made of, by tools/dist from the last commit: the same bytes again, sums that fit, a signature where there is a key, no
# file in the tarball without a licence, and a bill of materials that lists them all. Debian's files say the version that the library has.
set -eu
source=$TESTS_DIR/..
version=$(sed -n 's/^#define GEODISK_VERSION  *"\(.*\)"$/\1/p' "$source/include/geodisk/base.h")
for file in CITATION.cff:"version: $version" CMakeLists.txt:"VERSION $version " debian/changelog:"geodisk ($version-"; do
  [ ! -e "$source/${file%%:*}" ] || grep -qF "${file#*:}" "$source/${file%%:*}" || { echo "${file%%:*} does not say ${file#*:}" && exit 1; }
done
if ! git -C "$source" rev-parse HEAD >commit.txt 2>/dev/null; then
  echo 'this is no checkout: a release is made from one'
  exit 0
fi
"$source/tools/dist" "$PWD/first" >first.log
"$source/tools/dist" "$PWD/second" >second.log
diff -r first second
(cd first && sha256sum --check --quiet SHA256SUMS)
grep -q 'not signed' first.log

rm -rf tree
mkdir tree
tar -xzf "first/geodisk-$version.tar.gz" -C tree
[ ! -e "tree/geodisk-$version/debian" ] && grep -qE '^[0-9a-f]{7,}$' "tree/geodisk-$version/cmake/commit.txt"
/usr/bin/python3 -B - "first/geodisk-$version.spdx.json" "tree/geodisk-$version" <<'END'
import hashlib, json, pathlib, sys
bill, tree = json.load(open(sys.argv[1], encoding="utf-8")), pathlib.Path(sys.argv[2])
listed = {file["fileName"]: file for file in bill["files"]}
there = {"./" + path.relative_to(tree).as_posix(): path for path in tree.rglob("*") if path.is_file()}
assert listed.keys() == there.keys(), listed.keys() ^ there.keys()
for name, path in there.items():
    sums = {row["algorithm"]: row["checksumValue"] for row in listed[name]["checksums"]}
    assert sums["SHA256"] == hashlib.sha256(path.read_bytes()).hexdigest(), name
names = {part["SPDXID"] for part in bill["packages"] + bill["files"]} | {"SPDXRef-DOCUMENT"}
assert all({row["spdxElementId"], row["relatedSpdxElement"]} <= names for row in bill["relationships"])
assert {file["licenseConcluded"] for file in bill["files"]} == {"MIT", "LicenseRef-WordNet-3.0"}
assert listed["./data/mammals.tsv"]["licenseConcluded"] == "LicenseRef-WordNet-3.0"
print(len(listed), "files, each with its sum and licence")
END
if command -v reuse >/dev/null; then
  (cd "tree/geodisk-$version" && reuse lint >"$OLDPWD/reuse.txt") || { cat reuse.txt && exit 1; }
  echo 'reuse lint: every file has a licence'
fi
if command -v minisign >/dev/null; then
  rm -f key.pub key.sec
  minisign -G -W -p key.pub -s key.sec >key.log
  MINISIGN_KEY=$PWD/key.sec "$source/tools/dist" "$PWD/signed" >signed.log
  minisign -V -q -p key.pub -m signed/SHA256SUMS
  echo >>signed/SHA256SUMS
  if minisign -V -q -p key.pub -m signed/SHA256SUMS 2>refused.txt; then
    echo 'a changed file of sums is taken for the signed one'
    exit 1
  fi
  echo 'signed, and the signature fits'
fi
