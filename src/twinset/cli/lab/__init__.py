"""``twinset lab``: measure methods and make what they are measured by; one file per command."""

COMMANDS = {
    "evaluate": "Compare found pairs with true ones.",
    "compare": "Run methods side by side and measure them.",
    "experiment": "Sweep over options of a plan and measure each row.",
    "generate": "Make near-duplicates with known truth.",
    "learn": "Train a model on labelled pairs.",
    "mine": "Mine maximal or closed sets from a FIMI file.",
    "images": "Write the images of documents to a file.",
}
HELP = """The laboratory: measure methods, repeat experiments, make test collections.

\b
Example:
  twinset lab compare corpus.jsonl -o comparison
  twinset lab evaluate report --truth truth.csv
"""
