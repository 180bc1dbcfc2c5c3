"""The control words of RTF that matter to its text."""

from __future__ import annotations

CODE_PAGES = {
    0: "cp1252",
    77: "mac_roman",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gbk",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
}
"""The code pages of the character sets that fonts name."""

PARAGRAPH_ENDS = frozenset(
    ("par", "cell", "nestcell", "row", "nestrow", "sect", "page", "column", "line")
)

CHARACTERS = {
    "tab": "\t",
    "emdash": "\u2014",
    "endash": "\u2013",
    "emspace": "\u2003",
    "enspace": "\u2002",
    "qmspace": "\u2005",
    "bullet": "\u2022",
    "lquote": "\u2018",
    "rquote": "\u2019",
    "ldblquote": "\u201c",
    "rdblquote": "\u201d",
    "zwj": "\u200d",
    "zwnj": "\u200c",
    "zwbo": "\u200b",
    "ltrmark": "\u200e",
    "rtlmark": "\u200f",
}

_SKIPPED = """
    aftncn aftnsep aftnsepc atnauthor atndate atnicn atnid atnparent atnref atntime atrfend
    atrfstart author bkmkend bkmkstart buptim category colortbl comment company creatim doccomm
    docvar dptxbxtext factoidname falt fchars fldinst fldtype fname fontemb fontfile footer
    footerf footerl footerr ftncn ftnsep ftnsepc generator header headerf headerl headerr
    hlinkbase info keywords lchars levelnumbers leveltext listname listtable listoverridetable
    listtext manager mmathPr nextfile nonesttables objalias objclass objdata objname objsect
    objtime operator panose password pict picprop pn pnseclvl pntext pntxta pntxtb printim
    private revtbl revtim rsidtbl rxe shprslt sn sp stylesheet subject sv tc template themedata
    title txe userprops xe xmlnstbl
"""
SKIPPED = frozenset(_SKIPPED.split())
"""Groups that open with one of these hold no text of the document."""
