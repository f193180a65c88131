#!/usr/bin/env python3
"""Writes a software bill of materials (SBOM) of a package: CycloneDX 1.5, as JSON.

    tools/sbom.py FOLDER FILE [--subject pkg:npm/robomata] [--features …, --no-default-features, --target …]

FOLDER has the Cargo.toml. The features and the target are those with which it is built. The SBOM lists exactly the packages
of `cargo tree --edges normal`: cargo-cyclonedx alone also lists those that other crates of the workspace need. The bytes
depend on the commit and the options, not on directories or times. Needs git and cargo-cyclonedx (cargo install
cargo-cyclonedx --locked).
"""
import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("folder", type=Path)
parser.add_argument("file", type=Path)
parser.add_argument("--subject", help="the package that contains the crate, without its version")
known, options = parser.parse_known_args()

root = Path(__file__).resolve().parent.parent
manifest = ["--manifest-path", str(known.folder / "Cargo.toml")]
os.environ.setdefault(
    "SOURCE_DATE_EPOCH", subprocess.check_output(["git", "-C", root, "log", "-1", "--format=%ct"], text=True).strip()
)
# It writes a file for each crate of the workspace.
name = f"sbom-{os.getpid()}"
try:
    command = ["cargo", "cyclonedx", "-qq", *manifest, "--format", "json", "--spec-version", "1.5", "--no-build-deps"]
    subprocess.run([*command, "--override-filename", name, *options], check=True)
    text = (known.folder / f"{name}.json").read_text()
finally:
    for folder in ("benches", "crates", "tools"):
        for path in (root / folder).glob(f"**/{name}.json"):
            path.unlink()
tree = ["cargo", "tree", *manifest, "--locked", "--edges", "normal", "--prefix", "none", *options]
lines = subprocess.check_output(tree, text=True).splitlines()
linked = {tuple(re.match(r"(\S+) v(\S+)", line).groups()) for line in lines if line}

# Crates of this repository are named by their paths.
bom = json.loads(text.replace(str(root), "/robomata"))
crate = bom["metadata"]["component"]
crate.pop("components", None)
bom["components"] = [
    component for component in bom["components"] if (component["name"], component["version"]) in linked
]
listed = {(component["name"], component["version"]) for component in [*bom["components"], crate]}
if listed != linked:
    sys.exit(f"sbom.py: cargo-cyclonedx and cargo tree differ: {sorted(listed ^ linked)}")
references = {component["bom-ref"] for component in [*bom["components"], crate]}
bom["dependencies"] = [
    {**entry, "dependsOn": [other for other in entry.get("dependsOn", []) if other in references]}
    for entry in bom["dependencies"]
    if entry["ref"] in references
]
if known.subject:
    purl = f"{known.subject}@{crate['version']}"
    bom["metadata"]["component"] = {
        "type": "library",
        "bom-ref": purl,
        "name": known.subject.rsplit("/", 1)[1],
        "version": crate["version"],
        "licenses": crate["licenses"],
        "purl": purl,
    }
    bom["components"].append(crate)
    bom["dependencies"].append({"ref": purl, "dependsOn": [crate["bom-ref"]]})
known.file.write_text(json.dumps(bom, indent=2, ensure_ascii=False) + "\n")
